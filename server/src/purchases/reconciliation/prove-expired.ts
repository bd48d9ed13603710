import { type Chain, type FinalizedView } from '../../chain/chain.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { RELEASE_MARGIN_BLOCKS } from '../purchase.ts'

type RecordedBytes = Pick<PaymentRow, 'signature' | 'genesisHash' | 'expiryHeight'>

/** An account of a transaction, under which the chain finds it, and the earliest slot in which it could have landed. */
export interface Trace {
  address: string
  sinceSlot: bigint
}

/**
 * Whether recorded transaction bytes can never land (again): their blockhash expired at a finalized height, and the finalized chain,
 * read at that height, shows no such transaction that succeeded, neither by its signature nor under its accounts. Absence anywhere else
 * proves nothing. Also, no endpoint may be able to show the transaction: one that can overrules all the others.
 * @throws CHAIN_DOWN
 */
export async function isProvedExpired(
  chain: Pick<Chain, 'transaction'>,
  finalized: FinalizedView,
  payment: RecordedBytes,
  traces: readonly Trace[],
): Promise<boolean> {
  if (finalized.genesisHash !== payment.genesisHash || finalized.height <= payment.expiryHeight + RELEASE_MARGIN_BLOCKS) return false
  const status = await finalized.statusOf(payment.signature)
  if (status && !status.failed) return false
  const found = await Promise.all(traces.map(({ address, sinceSlot }) => finalized.signaturesFor(address, sinceSlot)))
  if (found.flat().some((entry) => entry.signature === payment.signature && !entry.failed)) return false
  const transaction = await chain.transaction(payment.signature)
  return !transaction || transaction.failed
}
