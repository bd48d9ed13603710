import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import { answerCall } from './stub-methods.ts'
import { type StubLedger } from './stub-ledger.ts'

/** The requests that an endpoint has got, those that it refused included. */
export interface RequestCounts {
  methods: Record<string, number>
  refused: number
  /** The most that arrived within one second. */
  busiestSecond: number
}

export interface CountingEndpoint {
  port: number
  counts: RequestCounts
}

/** A quick answer of an endpoint in the same region. */
const LATENCY_MILLIS = 20

/**
 * Serves a stub's JSON-RPC on a free port as a provider does: it counts every request, and answers 429 with `Retry-After` to what is more
 * than `perSecond` within a second. Without `perSecond` it neither limits nor counts.
 */
export async function startCountingEndpoint(ledger: StubLedger, perSecond?: number): Promise<CountingEndpoint> {
  const counts: RequestCounts = { methods: {}, refused: 0, busiestSecond: 0 }
  const countArrival = arrivalCounter()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const inSecond = perSecond === undefined ? 0 : countArrival()
    counts.busiestSecond = Math.max(counts.busiestSecond, inSecond)
    const { id, method, params } = readCall(await textOf(request))
    if (perSecond !== undefined) counts.methods[method] = (counts.methods[method] ?? 0) + 1
    if (perSecond !== undefined && inSecond > perSecond) {
      counts.refused += 1
      response.writeHead(429, { 'retry-after': '1' }).end('Too many requests')
      return
    }
    await delay(LATENCY_MILLIS)
    const body = JSON.stringify({ jsonrpc: '2.0', id, ...answerCall(ledger, method, params) })
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, counts }
}

/** @returns a function that counts a request, and returns how many have arrived within the second that ends now */
function arrivalCounter(): () => number {
  const arrivals: number[] = []
  return () => {
    const now = performance.now()
    arrivals.push(now)
    while ((arrivals[0] ?? now) <= now - 1000) arrivals.shift()
    return arrivals.length
  }
}

function readCall(text: string): { id: unknown; method: string; params: unknown[] } {
  const call: unknown = JSON.parse(text)
  if (typeof call !== 'object' || call === null || !('method' in call)) throw new Error('not a JSON-RPC call')
  const params = 'params' in call && Array.isArray(call.params) ? call.params : []
  return { id: 'id' in call ? call.id : null, method: String(call.method), params }
}
