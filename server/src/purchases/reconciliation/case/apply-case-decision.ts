import { type LandedTransaction } from '../../../chain/chain.ts'
import { inTransaction } from '../../../database/transact.ts'
import { type CaseMove, type CaseRow, forgetRefund, giveUpDelivery, lockCase, moveCase } from '../../cases/case-store.ts'
import { type CaseSubject } from '../../cases/case.ts'
import { insertSeenRefunds } from '../../cases/seen-refund-store.ts'
import { broadcastPayment } from '../../payment/broadcast-payment.ts'
import { findPayment, insertPayment, markSettled, type PaymentRow, voidPayment } from '../../payment/payment-store.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { logCase } from '../../log-changes.ts'
import { lockPurchase } from '../../purchase-store.ts'
import { settlePayment } from '../../settlement/settle-payment.ts'
import { type CaseAction, type CaseDecision, type CaseSnapshot } from './case-decision.ts'

/** Carries out a decision. Each action decides again under its locks whether it still applies, so a stale decision does no harm. */
export async function applyCaseDecision(deps: PurchaseDeps, snapshot: CaseSnapshot, { actions }: CaseDecision): Promise<void> {
  for (const action of actions) await apply(deps, snapshot, action)
}

async function apply(deps: PurchaseDeps, { row, subject }: CaseSnapshot, action: CaseAction): Promise<void> {
  const { database } = deps
  switch (action.kind) {
    case 'closeWithChain':
      return close(deps, subject, () => closeWithChain(deps, row.id))
    case 'broadcast':
      return broadcastPayment(deps, subject, action.payment)
    case 'closeRefunded':
      return close(deps, subject, () => closeRefunded(deps, row.id, action))
    case 'reopen':
      return reopen(deps, row.id, action.payment)
    case 'recordRefund':
      return recordRefund(deps, { row, subject }, action)
    case 'closeRefundedTogether':
      return close(deps, subject, () => closeRefundedTogether(deps, row.id, action.transaction))
    case 'noteRefunds':
      return insertSeenRefunds(database, row.id, action.refunds)
    case 'forgetRefund':
      return forgetRefund(database, row, action.seen)
    case 'giveUpDelivery':
      return giveUpDelivery(database, row.id)
    case 'deliver':
      return void (await settlePayment(deps, action.purchase, action.candidate))
  }
}

/** `move` returns the case if it has closed it. */
async function close(deps: PurchaseDeps, subject: CaseSubject, move: () => Promise<CaseRow | undefined>): Promise<void> {
  const closed = await move()
  if (closed) logCase(deps, 'closed', closed, subject)
}

async function closeWithChain({ database }: PurchaseDeps, id: string): Promise<CaseRow | undefined> {
  const note = 'The local chain was restarted, and the SOL of this payment is gone with it.'
  return inTransaction(database, async (tx) => {
    const locked = await lockCase(tx, id)
    if (locked?.status !== 'open' && locked?.status !== 'refunding') return undefined
    return moveCase(tx, id, { status: 'closed', reconcileSeconds: null, note })
  })
}

async function closeRefunded(
  { database }: PurchaseDeps,
  id: string,
  refund: { payment: PaymentRow; slot: bigint },
): Promise<CaseRow | undefined> {
  return inTransaction(database, async (tx) => {
    const locked = await lockCase(tx, id)
    if (locked?.status !== 'refunding') return undefined
    await markSettled(tx, refund.payment.signature, refund.slot)
    return moveCase(tx, id, { status: 'refunded', reconcileSeconds: null })
  })
}

async function reopen({ database }: PurchaseDeps, id: string, refund: PaymentRow): Promise<void> {
  await inTransaction(database, async (tx) => {
    const locked = await lockCase(tx, id)
    if (locked?.status !== 'refunding') return
    await voidPayment(tx, refund.signature)
    await moveCase(tx, id, { status: 'open', reconcileSeconds: 0 })
  })
}

/** A refund that the seller's wallet sent itself is recorded, and followed from now on. */
async function recordRefund(
  { database }: PurchaseDeps,
  { row, subject }: Pick<CaseSnapshot, 'row' | 'subject'>,
  { transaction, expiryHeight }: { transaction: LandedTransaction; expiryHeight: bigint },
): Promise<void> {
  const { signature, slot, bytes } = transaction
  const { id: purchaseId, genesisHash } = subject
  await inTransaction(database, async (tx) => {
    if (purchaseId !== null) await lockPurchase(tx, purchaseId)
    const locked = await lockCase(tx, row.id)
    if (locked?.status !== 'open' || (await findPayment(tx, signature))) return
    const landed = { signature, slot, transactionBytes: Buffer.from(bytes), expiryHeight, genesisHash }
    await insertPayment(tx, { ...landed, kind: 'refund', purchaseId, caseId: row.id, status: 'recorded' })
    await moveCase(tx, row.id, { status: 'refunding', reconcileSeconds: 0 })
  })
}

/**
 * A transaction is recorded for one purpose only. If that is a different one, the transaction closes this case as soon as it is finalized.
 */
async function closeRefundedTogether(
  { database }: PurchaseDeps,
  id: string,
  { signature }: LandedTransaction,
): Promise<CaseRow | undefined> {
  const move: CaseMove = { status: 'refunded', reconcileSeconds: null, note: `Paid back together with others, by ${signature}.` }
  return inTransaction(database, async (tx) => {
    const locked = await lockCase(tx, id)
    return locked?.status === 'open' ? moveCase(tx, id, move) : undefined
  })
}
