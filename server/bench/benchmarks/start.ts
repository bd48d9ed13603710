import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../../src/embedded/free-port.ts'
import { type BenchDatabases } from '../databases/bench-databases.ts'
import { asMillis, compare, type Line, type Sample } from '../measure/comparison.ts'
import { JWT_SECRET, STUDIO_KEY } from '../servers/product-server.ts'
import { startRpcEndpoints } from '../servers/start-rpc-endpoints.ts'

const BUILT_SERVER = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const BARE_SERVER = fileURLToPath(new URL('../servers/bare-start.mjs', import.meta.url))
const POLL_MILLIS = 5
const UNLIMITED = 1_000_000
/** About a second on a machine where the bare server takes 0.3. */
const MOST_RATIO = 3.5

/**
 * From the start of the process to the first answer from the database: the built server, with a ready database and a stub of the chain,
 * and a bare server with the same framework and driver.
 */
export async function benchmarkStart(databases: BenchDatabases, pairs: number): Promise<Line[]> {
  if (!existsSync(BUILT_SERVER)) throw new Error('There is no built server to start. Run `npm run build` first.')
  const databaseUrl = await databases.empty()
  const endpoints = await startRpcEndpoints([UNLIMITED])
  const secrets = { JWT_SECRET, STUDIO_API_KEY: STUDIO_KEY, REFERENCE_SECRET: 'bench-references-bench-references' }
  const settings = { DATABASE_URL: databaseUrl, SOLANA_RPC_URL: endpoints.walletsUrl, LOG_LEVEL: 'fatal', ...secrets }
  const start = (program: string, path: string) => startOnce(program, path, settings)
  const against = { reference: 'bare Fastify and pg', unit: 'ms', goal: { most: MOST_RATIO }, theirs: () => start(BARE_SERVER, '/') }
  const lineOf = async (name: string, path: string): Promise<Line> => {
    const line = await compare({ ...against, name, ours: () => start(BUILT_SERVER, path) }, pairs)
    return asMillis(line)
  }
  try {
    return [await lineOf('start to the first answer', '/health'), await lineOf('start to the first listings', '/api/marketplace/listings')]
  } finally {
    endpoints.stop()
  }
}

/** Starts a program and waits until it answers a path with success. */
async function startOnce(program: string, path: string, settings: Record<string, string>): Promise<Sample> {
  const port = await findFreePort()
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], PORT: String(port), ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  try {
    while (!(await answers(port, path))) {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
      await delay(POLL_MILLIS)
    }
    const millis = performance.now() - startedAt
    return { perSecond: 1000 / millis, millis: [millis] }
  } finally {
    child.kill('SIGKILL')
    await exited
  }
}

async function answers(port: number, path: string): Promise<boolean> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`)
    await reply.arrayBuffer()
    return reply.ok
  } catch {
    return false
  }
}
