import { type Signature } from '@juicebar/contract/addresses'
import { signature as asSignature } from '@solana/kit'

import { type LandedTransaction } from '../chain.ts'
import { type Priority } from '../rpc/request-queue.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { decodeLandedTransaction } from '../transactions/landed-transaction.ts'

/**
 * Reads a transaction at `confirmed` or above.
 *
 * @returns undefined if no healthy endpoint has it.
 * @throws Failure CHAIN_DOWN or CHAIN_BUSY if none answers.
 */
export function readTransaction(pool: RpcPool, signature: Signature, priority: Priority): Promise<LandedTransaction | undefined> {
  const config = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 1 } as const
  return pool.askInTurn(priority, async (rpc) => {
    const reply = await rpc.getTransaction(asSignature(signature), config).send()
    return reply ? decodeLandedTransaction(signature, reply) : undefined
  })
}
