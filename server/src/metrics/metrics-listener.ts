import { once } from 'node:events'
import { createServer } from 'node:http'

import { CONTENT_TYPE } from './text-format.ts'

const PATH = '/metrics'
/** A scraper sends a line and a few headers. */
const REQUEST_MILLIS = 5_000
/** Far more than the number of scrapers. */
const MAX_CONNECTIONS = 50

export interface MetricsListener {
  /** The one that it listens on. */
  port: number
  close(): Promise<void>
}

/**
 * Answers GET /metrics on an address of its own, and nothing else.
 * @throws Error with a sentence if the address cannot be listened on
 */
export async function listenForScrapes(
  { host, port }: { host: string; port: number },
  render: () => Promise<string>,
): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: REQUEST_MILLIS, headersTimeout: REQUEST_MILLIS }, (request, reply) => {
    const end = (status: number, headers: Record<string, string>, body: string) =>
      void reply.writeHead(status, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', ...headers }).end(body)
    const text = { 'content-type': 'text/plain; charset=utf-8' }
    if (request.url?.split('?')[0] !== PATH) return end(404, text, 'Only /metrics is served here.\n')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return end(405, { ...text, allow: 'GET, HEAD' }, 'Only GET is served here.\n')
    render().then(
      (body) => end(200, { 'content-type': CONTENT_TYPE }, body),
      () => end(500, text, 'The metrics could not be collected.\n'),
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    const sentence = `Metrics cannot be served on ${host}:${port} (${code}). Set METRICS_HOST and METRICS_PORT to an address of this machine that is free.`
    throw new Error(sentence, { cause })
  }
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
