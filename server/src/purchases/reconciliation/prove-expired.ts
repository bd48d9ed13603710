import { type FinalizedView } from '../../chain/chain.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { RELEASE_MARGIN_BLOCKS } from '../purchase.ts'

type RecordedBytes = Pick<PaymentRow, 'signature' | 'genesisHash' | 'expiryHeight'>

/** An address that a transaction names, so that the chain finds it there, and the slot from which on it could. */
export interface Trace {
  address: string
  sinceSlot: bigint
}

/**
 * Whether recorded bytes can never count (again): their blockhash is dead at a finalized height, and the finalized chain, read at
 * that height, shows no such transaction that succeeded, neither by its signature nor under the addresses that it names.
 * A null from anywhere else proves nothing. Fails with CHAIN_DOWN.
 */
export async function isProvedExpired(finalized: FinalizedView, payment: RecordedBytes, traces: readonly Trace[]): Promise<boolean> {
  if (finalized.genesisHash !== payment.genesisHash || finalized.height <= payment.expiryHeight + RELEASE_MARGIN_BLOCKS) return false
  const status = await finalized.statusOf(payment.signature)
  if (status && !status.failed) return false
  const found = await Promise.all(traces.map(({ address, sinceSlot }) => finalized.signaturesFor(address, sinceSlot)))
  return found.flat().every((entry) => entry.signature !== payment.signature || entry.failed)
}
