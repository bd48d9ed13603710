import { once } from 'node:events'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { json } from 'node:stream/consumers'

/** Asks a chain's JSON-RPC directly, as a wallet does that has an endpoint of its own. */
export interface ChainClient {
  /** Gives the result. Throws where the chain answers with an error, or not at all. */
  ask<Result>(method: string, params?: readonly unknown[]): Promise<Result>
  stop(): void
}

interface RpcReply {
  result?: unknown
  error?: { code: number; message: string }
}

const TIMEOUT_MILLIS = 15_000

export function createChainClient(url: string): ChainClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  return {
    ask: async <Result>(method: string, params: readonly unknown[] = []) => {
      const request = httpRequest(url, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      })
      request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const reply = (await json(response)) as RpcReply
      if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
      return reply.result as Result
    },
    stop: () => agent.destroy(),
  }
}
