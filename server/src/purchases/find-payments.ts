import { type Signature } from '@juicebar/contract/addresses'

import { findRecordedPayment } from './payment-store.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { type PurchaseRow } from './purchase-store.ts'
import { type PaymentOutcome, settlePayment } from './settle-payment.ts'

/** More transactions than an honest purchase can have; others have to be claimed by their buyer. */
const REFERENCED = 10
const OF_BUYER = 40

/** Signatures on the chain that name the purchase, and with `ofBuyer` also those of its buyer since the hold; oldest first. */
export async function findClues({ chain }: PurchaseDeps, purchase: PurchaseRow, ofBuyer: boolean): Promise<Signature[]> {
  const { reference, buyer, heldAtSlot } = purchase
  const [named, own] = await Promise.all([
    chain.recentSignatures(reference, heldAtSlot, REFERENCED),
    ofBuyer ? chain.recentSignatures(buyer, heldAtSlot, OF_BUYER) : [],
  ])
  const landed = [...named.toReversed(), ...own.toReversed()].filter((entry) => !entry.failed)
  return [...new Set(landed.map((entry) => entry.signature))]
}

/** Tries every clue until one settles the purchase; tells whether the purchase is settled. */
export async function settleFromClues(deps: PurchaseDeps, purchase: PurchaseRow, clues: readonly Signature[]): Promise<boolean> {
  for (const signature of clues) {
    const outcome = await settlePayment(deps, purchase, { signature, claimed: false })
    if (outcome.kind === 'settled') return true
  }
  return false
}

/** Settles from the recorded payment where it has landed, and sends it again where it has not. */
export async function pushRecorded(deps: PurchaseDeps, purchase: PurchaseRow): Promise<PaymentOutcome | undefined> {
  const { chain, database, log } = deps
  const payment = await findRecordedPayment(database, purchase.id)
  if (!payment) return undefined
  const outcome = await settlePayment(deps, purchase, { signature: payment.signature, claimed: false })
  if (outcome.kind === 'pending' && payment.confirmedAt === null) {
    await chain.broadcast(payment.wire).catch((error: unknown) => log.debug({ err: error, purchaseId: purchase.id }, 'broadcast failed'))
  }
  return outcome
}
