import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { type ServerProcess } from './start-server.ts'

/** What a peer is started with; its own code declares the same. */
export interface PeerSettings {
  databaseUrl: string
  rpcUrl: string
  holdSeconds: number
  tokenNames: Record<string, string>
}

export type PeerName = 'express-prisma' | 'nest-typeorm'

export const peersFolder = fileURLToPath(new URL('../peers', import.meta.url))
const run = promisify(execFile)
let built: Promise<void> | undefined

/** Starts a peer; the first call installs and builds all of them. Resolves once it is listening. */
export async function startPeer(name: PeerName, settings: PeerSettings, say: (sentence: string) => void): Promise<ServerProcess> {
  await (built ??= buildPeers(say))
  const child: ChildProcess = fork(`${peersFolder}/dist/src/${name}.js`, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] })
  child.send(settings)
  const [port]: unknown[] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
  if (typeof port !== 'number' || child.pid === undefined) throw new Error(`${name} did not start`)
  return { port, pid: child.pid, stop: () => void child.kill() }
}

/** Their packages belong to nothing else, so they are installed only here. */
async function buildPeers(say: (sentence: string) => void): Promise<void> {
  say('  installing the peers ...')
  await run('npm', ['ci', '--include=dev', '--ignore-scripts', '--prefer-offline'], { cwd: peersFolder })
  // Generating needs no engine for schemas, which Prisma would download; any program will do in its place.
  const env = { ...process.env, NODE_ENV: 'production', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }
  await run('npx', ['prisma', 'generate', '--schema', 'schema.prisma'], { cwd: peersFolder, env })
  await run('npx', ['tsc', '-p', '.'], { cwd: peersFolder })
}
