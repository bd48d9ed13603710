import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export interface ServerProcess {
  port: number
  pid: number
  stop(): void
}

/** The endpoints of a product server that has no stub for its chain port. */
export interface ChainSettings {
  endpoints: string[]
  /** What the server may ask of each endpoint. */
  requestsPerSecond: number
  holdSeconds: number
}

/** What a server process runs; see `server-process.ts`. */
export type Role =
  | { role: 'product'; databaseUrl: string; chain?: ChainSettings }
  | { role: 'bare'; body: string }
  | { role: 'writes'; databaseUrl: string; perSecond: number }

/** Starts a server process. Resolves once it is listening. */
export async function startServer(role: Role): Promise<ServerProcess> {
  const child: ChildProcess = fork(new URL('./server-process.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.send(role)
  const first: unknown[] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
  const [port] = first
  if (typeof port !== 'number' || child.pid === undefined) throw new Error(`the server process for ${role.role} did not start`)
  return { port, pid: child.pid, stop: () => void child.kill() }
}
