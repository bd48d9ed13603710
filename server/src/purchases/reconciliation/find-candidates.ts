import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { type SignatureStatus } from '../../chain/chain.ts'
import { isJudged, keepJudged } from './ruled-out-candidates.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { type PurchaseRow } from '../purchase-store.ts'
import { paymentClue, type PaymentOutcome, settlePayment } from '../settlement/settle-payment.ts'

/** Newest transactions looked through for a purchase. Before a lot is released all of them are, see `release-hold.ts`. */
const NEWEST = 100
/** New transactions read in one look, for each costs a call to the chain. What is left is read in the next looks. */
const READS_A_LOOK = 16

/**
 * Signatures on the chain that name the purchase, and with `ofBuyer` also those of its buyer since the hold; oldest first. The payment
 * that settled it already is no clue.
 */
export async function findClues({ chain }: PurchaseDeps, purchase: PurchaseRow, ofBuyer: boolean): Promise<Signature[]> {
  const { reference, buyer, heldAtSlot } = purchase
  const [named, own] = await Promise.all([
    chain.recentSignatures(reference, heldAtSlot, NEWEST),
    ofBuyer ? chain.recentSignatures(buyer, heldAtSlot, NEWEST) : [],
  ])
  const landed = [...named.toReversed(), ...own.toReversed()].filter((entry) => !entry.failed && entry.signature !== purchase.signature)
  return [...new Set(landed.map((entry) => entry.signature))]
}

/**
 * settled: one of them settled the purchase. undecided: one of them may yet, or was not read yet. none: none of them does, whatever
 * the chain says later.
 */
export type SearchOutcome = 'settled' | 'undecided' | 'none'

/** Tries clues in their order until one settles the purchase. One that cannot be read does not hide those behind it. Fails with CHAIN_DOWN. */
export async function settleFromClues(deps: PurchaseDeps, purchase: PurchaseRow, clues: readonly Signature[]): Promise<SearchOutcome> {
  const unread = clues.filter((signature) => !isJudged(deps.chain, purchase, signature))
  const batch = unread.slice(0, READS_A_LOOK)
  const statuses = batch.length > 0 ? await deps.chain.statuses(batch) : new Map<Signature, SignatureStatus>()
  const failures: unknown[] = []
  let undecided = unread.length > batch.length
  for (const signature of batch) {
    const outcome = await judgeClue(deps, purchase, signature, statuses.get(signature)).catch((error: unknown) => void failures.push(error))
    if (outcome === 'settled') return 'settled'
    undecided ||= outcome !== 'none'
    if (failures.length > 1) break
  }
  if (failures.length > 0) throw new Failure('CHAIN_DOWN', { cause: new AggregateError(failures, 'some transactions could not be read') })
  return undecided ? 'undecided' : 'none'
}

async function judgeClue(
  deps: PurchaseDeps,
  purchase: PurchaseRow,
  signature: Signature,
  status: SignatureStatus | undefined,
): Promise<SearchOutcome> {
  if (!status) return 'undecided'
  const outcome = await settlePayment(deps, purchase, paymentClue(deps.chain, signature, status))
  if (outcome.kind === 'settled') return 'settled'
  if (outcome.kind === 'pending') return 'undecided'
  if (status.commitment === 'finalized' && isForGood(outcome)) keepJudged(deps.chain, purchase, signature)
  return 'none'
}

/** Whether the outcome of a final transaction stays as it is: it changes only where another lot that it pays for is not settled by it. */
function isForGood(outcome: PaymentOutcome): boolean {
  return outcome.kind !== 'unrelated' || outcome.forGood
}
