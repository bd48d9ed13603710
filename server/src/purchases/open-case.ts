import { lamports } from '@juicebar/contract/money'
import { type CaseKind } from '@juicebar/contract/schemas'

import { type Database } from '../database/connect.ts'
import { inTransaction } from '../database/transact.ts'
import { emitCase, insertCase } from './case-store.ts'
import { claimSignature, markDead, type PaymentRow } from './payment-store.ts'
import { lockPurchase, type PurchaseRow } from './purchase-store.ts'

/** A payment that the chain accepted and that could not be delivered. */
export interface StrayPayment {
  purchase: PurchaseRow
  kind: Exclude<CaseKind, 'vanished'>
  payment: Pick<PaymentRow, 'signature' | 'wire' | 'slot' | 'expiryHeight'>
  /** What it moved that names no other purchase, and the part of it that names this one. */
  lamports: bigint
  named: bigint
  /** It names the purchase and fits it exactly: the lot may still be delivered. */
  deliverable: boolean
}

/**
 * Makes a stray payment visible to buyer and seller; the same payment opens one case only. Gives `settled` where it has delivered
 * this purchase meanwhile, and `used` where its SOL served another purpose.
 */
export async function openCase(database: Database, stray: StrayPayment): Promise<'open' | 'settled' | 'used'> {
  const { purchase, kind, payment, deliverable } = stray
  return inTransaction(database, async (tx) => {
    await lockPurchase(tx, purchase.id)
    const owner = await claimSignature(tx, { ...payment, purchaseId: purchase.id, genesisHash: purchase.genesisHash })
    const isOurs = owner.purchaseId === purchase.id && owner.kind === 'purchase'
    if (isOurs && owner.status === 'settled') return 'settled'
    if (!isOurs && owner.status !== 'dead') return 'used'
    // What names no purchase is counted in the first case of a transaction alone, or the seller would pay it back twice.
    const counted = isOurs ? stray.lamports : stray.named
    if (counted === 0n) return 'used'
    await markDead(tx, payment.signature)
    const report = { purchaseId: purchase.id, kind, signature: payment.signature, lamports: lamports(counted), deliverable }
    const caseId = await insertCase(tx, report)
    if (caseId) await emitCase(tx, caseId)
    return 'open'
  })
}

/** Tells both sides that the chain dropped the payment for which this purchase was delivered. */
export async function openVanishedCase(database: Database, purchase: PurchaseRow, { signature }: PaymentRow): Promise<void> {
  await inTransaction(database, async (tx) => {
    await lockPurchase(tx, purchase.id)
    const report = { purchaseId: purchase.id, kind: 'vanished', signature, lamports: purchase.priceLamports, deliverable: false } as const
    const caseId = await insertCase(tx, report)
    if (caseId) await emitCase(tx, caseId)
  })
}
