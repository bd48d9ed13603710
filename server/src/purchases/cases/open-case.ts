import { lamports } from '@juicebar/contract/money'
import { type CaseKind } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { type PaymentRow, recordUncounted, voidPayment } from '../payment/payment-store.ts'
import { lockPurchase, type PurchaseRow } from '../purchase-store.ts'
import { countsForAnother, emitCase, insertCase, isDustOverLimit, type NewCase } from './case-store.ts'

/** A payment that the chain accepted and that could not be delivered. */
export interface UnmatchedPayment {
  purchase: PurchaseRow
  kind: Exclude<CaseKind, 'vanished'>
  payment: Pick<PaymentRow, 'signature' | 'transactionBytes' | 'slot' | 'expiryHeight'>
  /** What it moved without another purchase's reference, and the part of it that carries this one's. */
  lamports: bigint
  referencedLamports: bigint
  /** It carries the purchase's reference and fits exactly: it may still be delivered. */
  deliverable: boolean
}

/**
 * Shows an unmatched payment to buyer and seller as a case. The same payment opens one case only.
 * @returns `settled` if it has delivered this purchase meanwhile, `used` if its SOL served another purpose, and `dust` if it is one
 * too many of too little.
 */
export async function openCase(database: Database, unmatched: UnmatchedPayment): Promise<'open' | 'settled' | 'used' | 'dust'> {
  const { purchase, kind, payment, deliverable } = unmatched
  const { signature } = payment
  return inTransaction(database, async (tx) => {
    await lockPurchase(tx, purchase.id)
    const owner = await recordUncounted(tx, { ...payment, purchaseId: purchase.id, genesisHash: purchase.genesisHash })
    const isOurs = owner.purchaseId === purchase.id && owner.kind === 'purchase'
    if (isOurs && owner.status === 'settled') return 'settled'
    // What carries no reference counts once for its buyer and seller, or the seller would pay it back twice.
    const counted = (await countsForAnother(tx, purchase, signature)) ? unmatched.referencedLamports : unmatched.lamports
    if (counted === 0n) return 'used'
    if (isOurs) await voidPayment(tx, signature)
    const report = { purchaseId: purchase.id, kind, signature, lamports: lamports(counted), deliverable }
    return (await reportCase(tx, report)) ? 'open' : 'dust'
  })
}

/** Tells both sides that the chain dropped the payment for which this purchase was delivered. */
export async function openVanishedCase(database: Database, purchase: PurchaseRow, { signature }: PaymentRow): Promise<void> {
  await inTransaction(database, async (tx) => {
    await lockPurchase(tx, purchase.id)
    await reportCase(tx, { purchaseId: purchase.id, kind: 'vanished', signature, lamports: purchase.priceLamports, deliverable: false })
  })
}

/** @returns whether the case exists, from now on or since earlier. */
async function reportCase(tx: Tx, report: NewCase): Promise<boolean> {
  if (await isDustOverLimit(tx, report)) return false
  const caseId = await insertCase(tx, report)
  if (caseId) await emitCase(tx, caseId)
  return true
}
