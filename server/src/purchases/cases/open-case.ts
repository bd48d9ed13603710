import { lamports } from '@juicebar/contract/money'
import { type CaseKind } from '@juicebar/contract/schemas'

import { inTransaction, type Tx } from '../../database/transact.ts'
import { type Received, totalReceived } from '../payment/landed-payment.ts'
import { type PaymentRow, recordUncounted, voidPayment } from '../payment/payment-store.ts'
import { lockPurchase, type PurchaseRow } from '../purchase-store.ts'
import { logCase } from '../log-changes.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { type CaseRow, countsForAnother, emitCase, insertCase, isDustOverLimit, type NewCase } from './case-store.ts'

/** A payment that the chain accepted and that could not be delivered. */
export interface UnmatchedPayment {
  purchase: PurchaseRow
  kind: Exclude<CaseKind, 'vanished'>
  payment: Pick<PaymentRow, 'signature' | 'transactionBytes' | 'slot' | 'expiryHeight'>
  /** It names the purchase's reference. */
  referenced: boolean
  received: readonly Received[]
  /** Another purchase that its transaction pays for: it is recorded for that one. */
  paidPurchase: string | undefined
  /** It carries the purchase's reference and fits exactly: it may still be delivered. */
  deliverable: boolean
}

interface Opening {
  outcome: 'open' | 'settled' | 'used' | 'dust'
  /** The case, if it is new. */
  opened?: CaseRow
}

type CaseDeps = Pick<PurchaseDeps, 'database' | 'log'>

/**
 * Shows an unmatched payment to buyer and seller as a case. The same payment opens one case only.
 * @returns `settled` if it has delivered this purchase meanwhile, `used` if its SOL served another purpose, and `dust` if it is one
 * too many of too little.
 */
export async function openCase(deps: CaseDeps, unmatched: UnmatchedPayment): Promise<Opening['outcome']> {
  const { purchase, kind, payment, deliverable, paidPurchase = purchase.id } = unmatched
  const { signature } = payment
  const { outcome, opened } = await inTransaction(deps.database, async (tx): Promise<Opening> => {
    for (const id of [...new Set([purchase.id, paidPurchase])].toSorted()) await lockPurchase(tx, id)
    const owner = await recordUncounted(tx, { ...payment, purchaseId: paidPurchase, genesisHash: purchase.genesisHash })
    const isOurs = owner.purchaseId === purchase.id && owner.kind === 'purchase'
    if (isOurs && owner.status === 'settled') return { outcome: 'settled' }
    // What names no purchase counts once for its buyer and seller, or the seller would pay it back twice.
    const countsElsewhere = !unmatched.referenced && (await countsForAnother(tx, purchase, signature))
    const counted = countsElsewhere ? 0n : totalReceived(unmatched.received)
    if (counted === 0n) return { outcome: 'used' }
    if (isOurs) await voidPayment(tx, signature)
    const report = { purchaseId: purchase.id, kind, signature, lamports: lamports(counted), deliverable }
    const { exists, ...reported } = await reportCase(tx, report)
    return { outcome: exists ? 'open' : 'dust', ...reported }
  })
  if (opened) logCase(deps.log, 'opened', opened, purchase)
  return outcome
}

/** Tells both sides that the chain dropped the payment for which this purchase was delivered. */
export async function openVanishedCase(deps: CaseDeps, purchase: PurchaseRow, { signature }: PaymentRow): Promise<void> {
  const report = { purchaseId: purchase.id, kind: 'vanished', signature, lamports: purchase.priceLamports, deliverable: false } as const
  const { opened } = await inTransaction(deps.database, async (tx) => {
    await lockPurchase(tx, purchase.id)
    return reportCase(tx, report)
  })
  if (opened) logCase(deps.log, 'opened', opened, purchase)
}

/** @returns whether the case exists, and the case itself if it does so from now on. */
async function reportCase(tx: Tx, report: NewCase): Promise<{ exists: boolean; opened?: CaseRow }> {
  if (await isDustOverLimit(tx, report)) return { exists: false }
  const changed = await insertCase(tx, report)
  if (changed) await emitCase(tx, changed.id)
  return { exists: true, ...(changed?.isNew && { opened: changed }) }
}
