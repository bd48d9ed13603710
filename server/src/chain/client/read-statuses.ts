import { type Signature } from '@juicebar/contract/addresses'
import { signature as asSignature } from '@solana/kit'

import { type SignatureStatus } from '../chain.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { betterStatus, readStatus } from './signature-status.ts'

/** Most signatures in one `getSignatureStatuses` (Agave, `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const STATUSES_PER_CALL = 256

/**
 * Asks all healthy endpoints for the statuses of any number of signatures.
 *
 * @returns the best status that any of them knows; signatures that none knows are absent.
 * @throws Failure CHAIN_DOWN if none answers.
 */
export async function readStatuses(pool: RpcPool, signatures: readonly Signature[]): Promise<Map<Signature, SignatureStatus>> {
  const best = new Map<Signature, SignatureStatus>()
  const answers = await Promise.all(chunks(signatures, STATUSES_PER_CALL).map((chunk) => readChunk(pool, chunk)))
  for (const [signature, status] of answers.flat()) best.set(signature, betterStatus(best.get(signature), status))
  return best
}

async function readChunk(pool: RpcPool, signatures: readonly Signature[]): Promise<[Signature, SignatureStatus][]> {
  const answers = await pool.askAll('settlement', async (rpc) => {
    const { value } = await rpc.getSignatureStatuses(signatures.map(asSignature), { searchTransactionHistory: true }).send()
    if (value.length !== signatures.length) throw new Error('the endpoint left out statuses')
    return signatures.flatMap((signature, index): [Signature, SignatureStatus][] => {
      const status = value[index]
      return status ? [[signature, readStatus(status)]] : []
    })
  })
  return answers.flat()
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
}
