import { type Signature } from '@juicebar/contract/addresses'
import { signature as asSignature } from '@solana/kit'

import { type SignatureStatus } from '../chain.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { chunks } from '../../request-batch.ts'
import { betterStatus, readStatus } from './signature-status.ts'

/** Most signatures in one `getSignatureStatuses` (Agave, `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
export const STATUSES_PER_CALL = 256

/** Signatures that are not known are absent. */
export type Statuses = Map<Signature, SignatureStatus>

/** The answer of one endpoint, which was proved to serve our chain both before it was asked and after it answered. */
export interface StatusReading {
  statuses: Statuses
  endpoint: Endpoint
}

/**
 * Asks one endpoint for the statuses of at most 256 signatures.
 *
 * @param last an endpoint that is asked only if no other answers.
 * @throws Failure CHAIN_DOWN or CHAIN_BUSY if none answers.
 */
export async function readStatusesOnce(pool: RpcPool, signatures: readonly Signature[], last?: Endpoint): Promise<StatusReading> {
  const reading = await pool.askInTurn(
    'settlement',
    async (rpc, endpoint) => {
      const statuses = await request(rpc, signatures)
      if (!endpoint.proven) throw new Error('the connection was lost meanwhile, and another chain may have answered')
      return { statuses, endpoint }
    },
    { last },
  )
  if (!reading) throw new Error('askInTurn returns the first answer, and each of them is one')
  return reading
}

/**
 * Asks every healthy endpoint.
 *
 * @returns the best status that any of them knows; signatures that none knows are absent.
 * @throws Failure CHAIN_DOWN or CHAIN_BUSY if none answers.
 */
export async function readStatusesEverywhere(pool: RpcPool, signatures: readonly Signature[]): Promise<Statuses> {
  const readings = chunks(signatures, STATUSES_PER_CALL).map((chunk) => pool.askAll('settlement', (rpc) => request(rpc, chunk)))
  const best: Statuses = new Map()
  for (const statuses of (await Promise.all(readings)).flat()) {
    for (const [signature, status] of statuses) best.set(signature, betterStatus(best.get(signature), status))
  }
  return best
}

async function request(rpc: ChainRpc, signatures: readonly Signature[]): Promise<Statuses> {
  const { value } = await rpc.getSignatureStatuses(signatures.map(asSignature), { searchTransactionHistory: true }).send()
  if (value.length !== signatures.length) throw new Error('the endpoint left out statuses')
  return new Map(
    signatures.flatMap((signature, index): [Signature, SignatureStatus][] => {
      const status = value[index]
      return status ? [[signature, readStatus(status)]] : []
    }),
  )
}
