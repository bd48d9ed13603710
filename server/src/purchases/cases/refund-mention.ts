import { type SignatureEntry } from '../../chain/chain.ts'

/** As many of the newest transactions that name a refund's reference as one request lists. */
export const MENTIONS = 1_000
/** An honest refund has one transaction, or two if its seller was impatient, and whatever else names its reference came later. */
const REFUNDS = 5

/**
 * Whether the chain shows anything that may be a refund, among the newest `MENTIONS` transactions that name its reference: before it has
 * landed, nobody but the seller knows that reference. A list that is full may hide it.
 */
export function isMentioned(entries: readonly SignatureEntry[]): boolean {
  return entries.length >= MENTIONS || entries.some(({ failed }) => !failed)
}

/** Of such a list, newest first: those that are read, the oldest first. */
export function oldestMentions(entries: readonly SignatureEntry[]): SignatureEntry[] {
  return entries
    .filter(({ failed }) => !failed)
    .slice(-REFUNDS)
    .toReversed()
}
