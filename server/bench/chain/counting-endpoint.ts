import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import { answerCall } from './stub-methods.ts'
import { type StubLedger } from './stub-ledger.ts'

/** How many requests an endpoint has got, by method, those that it refused included, and how many of them it refused. */
export interface RequestCounts {
  methods: Record<string, number>
  refused: number
}

export interface CountingEndpoint {
  port: number
  counts: RequestCounts
}

/** A quick answer of an endpoint in the same region. */
const LATENCY_MILLIS = 20
/** Requests that left exactly a second apart may arrive a little closer: the bucket holds this much more than a second's requests. */
const SLACK_SECONDS = 0.1

/**
 * Serves a stub's JSON-RPC on a free port as a provider does: it counts every request, and answers 429 with `Retry-After` beyond
 * `perSecond` (a token bucket). Without `perSecond` it neither limits nor counts.
 */
export async function startCountingEndpoint(ledger: StubLedger, perSecond?: number): Promise<CountingEndpoint> {
  const counts: RequestCounts = { methods: {}, refused: 0 }
  const take = perSecond === undefined ? () => true : tokenBucket(perSecond)
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, method, params } = readCall(await textOf(request))
    if (perSecond !== undefined) counts.methods[method] = (counts.methods[method] ?? 0) + 1
    if (!take()) {
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

/** @returns a function that takes a token, or returns false if there is none */
function tokenBucket(perSecond: number): () => boolean {
  const size = Math.ceil(perSecond * (1 + SLACK_SECONDS))
  let tokens = size
  let filledAt = performance.now()
  return () => {
    const now = performance.now()
    tokens = Math.min(size, tokens + ((now - filledAt) / 1000) * perSecond)
    filledAt = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

function readCall(text: string): { id: unknown; method: string; params: unknown[] } {
  const call: unknown = JSON.parse(text)
  if (typeof call !== 'object' || call === null || !('method' in call)) throw new Error('not a JSON-RPC call')
  const params = 'params' in call && Array.isArray(call.params) ? call.params : []
  return { id: 'id' in call ? call.id : null, method: String(call.method), params }
}
