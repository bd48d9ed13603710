import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import pg from 'pg'

import { createMarket, type Market } from '../../client/src/client.ts'

export const STUDIO_KEY = 'the-studio-key-of-a-server-of-its-own'

export interface OwnServer {
  /** The calls of its studio. */
  market: Market
  stop(): Promise<void>
}

/** A server for one file of tests, which change what all players of a market feel, or need settings of their own. */
export async function startOwnServer(port: number, settings: Record<string, string> = {}): Promise<OwnServer> {
  const { E2E_DATA_DIR: mainFolder = '', ...inherited } = process.env
  const env = {
    ...inherited,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    STUDIO_API_KEY: STUDIO_KEY,
    JWT_SECRET: 'the-session-secret-of-a-server-of-its-own',
    REFERENCE_SECRET: 'the-reference-secret-of-a-server-of-its-own',
    DATABASE_URL: await createDatabase(mainFolder),
    // Few, since the main server and those of other files have theirs on the same PostgreSQL.
    DATABASE_CONNECTIONS: '8',
    ...settings,
  }
  const server = spawn(process.execPath, [fileURLToPath(new URL('serve.mjs', import.meta.url))], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  server.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)))
  const exited = once(server, 'exit')
  const origin = `http://localhost:${port}`
  const isReady = () =>
    fetch(`${origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`the server on port ${port} ended with ${server.exitCode}: ${said.trim()}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return {
    market: createMarket({ url: origin, key: STUDIO_KEY }),
    async stop() {
      // At once, without the drain.
      server.kill('SIGINT')
      await exited
    },
  }
}

/** An empty database beside the main server's: a PostgreSQL of its own takes longer to start than everything else of a server. */
async function createDatabase(mainFolder: string): Promise<string> {
  const [port, password] = await Promise.all(
    ['postgres-port', 'POSTGRES_PASSWORD'].map(async (name) => (await readFile(join(mainFolder, name), 'utf8')).trim()),
  )
  const name = `own_${randomUUID().replaceAll('-', '')}`
  const url = (database: string) => `postgresql://juicebar:${password}@127.0.0.1:${port}/${database}`
  const client = new pg.Client({ connectionString: url('juicebar') })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return url(name)
}
