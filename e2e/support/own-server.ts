import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const STUDIO_KEY = 'the-studio-key-of-a-server-of-its-own'

export interface OwnServer {
  /** Makes a call of the studio, and expects it to succeed. */
  studio(method: 'PUT' | 'DELETE', path: string, body?: object): Promise<void>
  stop(): Promise<void>
}

/** A server for one file of tests, which change what all players of a market feel, or need settings of their own. */
export async function startOwnServer(port: number, settings: Record<string, string> = {}): Promise<OwnServer> {
  const env = { ...process.env, PORT: String(port), LOG_LEVEL: 'warn', STUDIO_API_KEY: STUDIO_KEY, ...settings }
  const server = spawn(process.execPath, [fileURLToPath(new URL('serve.mjs', import.meta.url))], { env, stdio: 'ignore' })
  const exited = once(server, 'exit')
  const origin = `http://localhost:${port}`
  const isReady = () =>
    fetch(`${origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`the server on port ${port} ended with ${server.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return {
    async studio(method, path, body) {
      const headers = { authorization: `Bearer ${STUDIO_KEY}`, ...(body && { 'content-type': 'application/json' }) }
      const reply = await fetch(`${origin}/api/studio/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      if (!reply.ok) throw new Error(`${method} ${path} was answered with ${reply.status}: ${await reply.text()}`)
    },
    async stop() {
      // At once, without the drain.
      server.kill('SIGINT')
      await exited
    },
  }
}
