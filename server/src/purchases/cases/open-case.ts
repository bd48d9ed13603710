import { lamports } from '@juicebar/contract/money'
import { type CaseKind } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { emitCase, insertCase, isCountedBetween, isOneDustTooMany, type NewCase } from './case-store.ts'
import { claimSignature, markVoid, type PaymentRow } from '../payment/payment-store.ts'
import { lockPurchase, type PurchaseRow } from '../purchase-store.ts'

/** A payment that the chain accepted and that could not be delivered. */
export interface StrayPayment {
  purchase: PurchaseRow
  kind: Exclude<CaseKind, 'vanished'>
  payment: Pick<PaymentRow, 'signature' | 'transactionBytes' | 'slot' | 'expiryHeight'>
  /** What it moved that names no other purchase, and the part of it that names this one. */
  lamports: bigint
  named: bigint
  /** It names the purchase and fits it exactly: the lot may still be delivered. */
  deliverable: boolean
}

/**
 * Makes a stray payment visible to buyer and seller; the same payment opens one case only. Gives `settled` where it has delivered
 * this purchase meanwhile, `used` where its SOL served another purpose, and `dust` where it is one too many of too little.
 */
export async function openCase(database: Database, stray: StrayPayment): Promise<'open' | 'settled' | 'used' | 'dust'> {
  const { purchase, kind, payment, deliverable } = stray
  return inTransaction(database, async (tx) => {
    await lockPurchase(tx, purchase.id)
    const owner = await claimSignature(tx, { ...payment, purchaseId: purchase.id, genesisHash: purchase.genesisHash })
    const isOurs = owner.purchaseId === purchase.id && owner.kind === 'purchase'
    if (isOurs && owner.status === 'settled') return 'settled'
    // What names no purchase counts once for its buyer and seller, or the seller would pay it back twice.
    const counted = (await isCountedBetween(tx, purchase, payment.signature)) ? stray.named : stray.lamports
    if (counted === 0n) return 'used'
    if (isOurs) await markVoid(tx, payment.signature)
    const report = { purchaseId: purchase.id, kind, signature: payment.signature, lamports: lamports(counted), deliverable }
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

/** Gives whether the case stands, from now on or since earlier. */
async function reportCase(tx: Tx, report: NewCase): Promise<boolean> {
  if (await isOneDustTooMany(tx, report)) return false
  const caseId = await insertCase(tx, report)
  if (caseId) await emitCase(tx, caseId)
  return true
}
