import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { delay } from '../../src/runtime/repeat.ts'

const CHECK_MILLIS = 50
/** As HAProxy by default: one check that fails, on a machine that is busy for a moment, means nothing. */
const CHECKS_TO_FALL = 3
/** They concern one connection only (RFC 9110, section 7.6.1). */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding']

export interface Balancer {
  url: string
  add(server: string): void
  remove(server: string): void
  /** The servers that calls are sent to at this moment. */
  ready(): string[]
  stop(): Promise<void>
}

/**
 * A load balancer like those that operators have: it keeps connections, asks each server whether it is ready, and sends every call to one
 * that is, once.
 */
export async function startBalancer(): Promise<Balancer> {
  /** How many checks in a row have failed. */
  const servers = new Map<string, number>()
  const agent = new Agent({ keepAlive: true })
  const stopping = new AbortController()
  const ready = () => [...servers].filter(([, failed]) => failed < CHECKS_TO_FALL).map(([server]) => server)
  let calls = 0

  const check = async (server: string) => {
    const isReady = await fetch(`${server}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    const failed = servers.get(server)
    if (failed !== undefined) servers.set(server, isReady ? 0 : failed + 1)
  }
  const checking = (async () => {
    while (!stopping.signal.aborted) {
      await Promise.all([...servers.keys()].map(check))
      await delay(CHECK_MILLIS, stopping.signal)
    }
  })()

  const forward = (call: IncomingMessage, reply: ServerResponse) => {
    const candidates = ready()
    const server = candidates[calls++ % candidates.length]
    if (server === undefined) return void reply.writeHead(502).end('no server is ready')
    const forwarded = request(`${server}${call.url}`, { agent, method: call.method, headers: call.headers }, (answer) => {
      const headers = Object.entries(answer.headers).filter(([name]) => !ofConnection.includes(name))
      reply.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers))
      answer.pipe(reply)
    })
    forwarded.on('error', (error) => (reply.headersSent ? reply.destroy() : reply.writeHead(502).end(String(error))))
    call.pipe(forwarded)
  }

  const front = createServer(forward).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const address = front.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    add: (server) => void servers.set(server, CHECKS_TO_FALL),
    remove: (server) => void servers.delete(server),
    ready,
    stop: async () => {
      stopping.abort()
      await checking
      agent.destroy()
      front.closeAllConnections()
      front.close()
    },
  }
}
