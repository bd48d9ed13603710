import {
  type Base64EncodedWireTransaction,
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
} from '@solana/kit'

import { type Endpoint } from '../rpc/endpoint.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'

/** Transactions whose last endpoint is remembered. A forgotten one may be sent again through the same. */
const MAX_REMEMBERED = 2000

/** Sends transactions, each time through a different endpoint than before, because one may have dropped it. */
export class Broadcaster {
  readonly #pool: RpcPool
  readonly #sentThrough = new Map<string, Endpoint>()

  constructor(pool: RpcPool) {
    this.#pool = pool
  }

  /** @throws Failure CHAIN_DOWN or CHAIN_BUSY if no endpoint took it. */
  async send(transaction: Base64EncodedWireTransaction): Promise<void> {
    const endpoint = await this.#pool.askInTurn(
      'payment',
      async (rpc, asked) => {
        try {
          // Reconciliation sends it again; an RPC node that does so as well would only spend its own budget.
          await rpc.sendTransaction(transaction, { encoding: 'base64', skipPreflight: true, maxRetries: 0n }).send()
        } catch (error) {
          // The endpoint refused it, usually because it already has it: `statuses` shows the outcome.
          if (!isSolanaError(error) || couldNotSend(error)) throw error
        }
        return asked
      },
      { last: this.#sentThrough.get(transaction) },
    )
    if (endpoint) this.#remember(transaction, endpoint)
  }

  #remember(transaction: string, endpoint: Endpoint): void {
    this.#sentThrough.delete(transaction)
    const [oldest] = this.#sentThrough.keys()
    if (oldest !== undefined && this.#sentThrough.size >= MAX_REMEMBERED) this.#sentThrough.delete(oldest)
    this.#sentThrough.set(transaction, endpoint)
  }
}

/** This says something about the endpoint, not about the transaction. */
function couldNotSend(error: unknown): boolean {
  return (
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR) ||
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND) ||
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY)
  )
}
