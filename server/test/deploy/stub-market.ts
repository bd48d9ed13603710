import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

/** A server as a proxy sees it: ready or not, and with an event stream. */
export interface StubMarket {
  address: string
  /** Every call that was not about its health: its method and path, and the address that the proxy says it came from. */
  calls: { call: string; from: string | undefined }[]
  isReady: boolean
  /** Sends a line to all open event streams. */
  send(line: string): void
  /** It is gone: nothing listens any more. */
  stop(): void
}

export async function startStubMarket(): Promise<StubMarket> {
  const streams = new Set<ServerResponse>()
  const server = createServer((request, reply) => {
    const { method, url = '' } = request
    if (url === '/health/live') return void reply.end()
    if (url === '/health/ready') return void reply.writeHead(market.isReady ? 200 : 503).end()
    const from = request.headers['x-forwarded-for']
    market.calls.push({ call: `${method} ${url}`, from: Array.isArray(from) ? from.join() : from })
    if (url !== '/api/marketplace/events') return void request.resume().on('end', () => reply.end(market.address))
    reply.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    streams.add(reply)
    reply.on('close', () => streams.delete(reply))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const market: StubMarket = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    isReady: true,
    send: (line) => streams.forEach((stream) => stream.write(`${line}\n`)),
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  onTestFinished(() => market.stop())
  return market
}
