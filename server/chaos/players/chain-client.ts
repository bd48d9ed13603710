import { postJson } from '../post-json.ts'

/** Calls a chain's JSON-RPC directly, like a wallet with an RPC endpoint of its own. */
export interface ChainClient {
  /** @throws Error if the chain answers with an error or not at all */
  call<Result>(method: string, params?: readonly unknown[]): Promise<Result>
}

interface RpcReply {
  result?: unknown
  error?: { code: number; message: string }
}

/** As long as a wallet waits for an answer. */
const WALLET_MILLIS = 15_000

export function createChainClient(url: string, { timeoutMillis = WALLET_MILLIS } = {}): ChainClient {
  return {
    call: async <Result>(method: string, params: readonly unknown[] = []) => {
      const { text } = await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), timeoutMillis)
      const reply = JSON.parse(text) as RpcReply
      if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
      return reply.result as Result
    },
  }
}
