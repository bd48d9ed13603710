import { type Signature } from '@juicebar/contract/addresses'

import { type PurchaseDeps } from './purchase-deps.ts'
import { type PurchaseRow } from './purchase-store.ts'
import { settlePayment } from './settle-payment.ts'

/** More transactions than an honest purchase can have; others have to be claimed by their buyer. */
const REFERENCED = 10
const OF_BUYER = 40

/**
 * Signatures on the chain that name the purchase, and with `ofBuyer` also those of its buyer since the hold; oldest first. The payment
 * that settled it already is no clue.
 */
export async function findClues({ chain }: PurchaseDeps, purchase: PurchaseRow, ofBuyer: boolean): Promise<Signature[]> {
  const { reference, buyer, heldAtSlot } = purchase
  const [named, own] = await Promise.all([
    chain.recentSignatures(reference, heldAtSlot, REFERENCED),
    ofBuyer ? chain.recentSignatures(buyer, heldAtSlot, OF_BUYER) : [],
  ])
  const landed = [...named.toReversed(), ...own.toReversed()].filter((entry) => !entry.failed && entry.signature !== purchase.signature)
  return [...new Set(landed.map((entry) => entry.signature))]
}

/**
 * settled: one of them settled the purchase. undecided: one of them may yet. none: none of them does, whatever the chain
 * says later.
 */
export type SearchOutcome = 'settled' | 'undecided' | 'none'

/** Tries clues in their order until one settles the purchase. */
export async function settleFromClues(deps: PurchaseDeps, purchase: PurchaseRow, clues: readonly Signature[]): Promise<SearchOutcome> {
  let undecided = false
  for (const signature of clues) {
    const { kind } = await settlePayment(deps, purchase, { signature, claimed: false })
    if (kind === 'settled') return 'settled'
    undecided ||= kind === 'pending'
  }
  return undecided ? 'undecided' : 'none'
}
