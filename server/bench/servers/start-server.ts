import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { build } from 'vite'

import { type Role } from './role.ts'

export interface ServerProcess {
  port: number
  pid: number
  stop(): void
}

const sources = fileURLToPath(new URL('../..', import.meta.url))
/** As deep as the sources, which find the migrations and the catalogue by relative paths. */
const buildFolder = fileURLToPath(new URL('../../.cache/bench', import.meta.url))
let built: Promise<string> | undefined

/** Starts a server process. Resolves once it is listening. */
export async function startServer(role: Role): Promise<ServerProcess> {
  const path = await (built ??= buildServerProcess())
  const child: ChildProcess = fork(path, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] })
  child.send(role)
  const first: unknown[] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
  const [port] = first
  if (typeof port !== 'number' || child.pid === undefined) throw new Error(`the server process for ${role.role} did not start`)
  return { port, pid: child.pid, stop: () => void child.kill() }
}

/** Bundles the process as the product is bundled: run from the sources, whatever creates functions while it works takes longer. */
async function buildServerProcess(): Promise<string> {
  await build({
    configFile: `${sources}/vite.config.ts`,
    logLevel: 'error',
    build: { outDir: buildFolder, sourcemap: false, rolldownOptions: { input: { 'server-process': 'bench/servers/server-process.ts' } } },
  })
  return `${buildFolder}/server-process.js`
}
