import { inTransaction, type Tx } from '../../database/transact.ts'
import { openVanishedCase, logCase } from '../cases/open-case.ts'
import { endHoldAlone, markUnprovable } from '../hold/end-hold.ts'
import { endsUnpaid } from '../hold/hold.ts'
import { markUnfunded } from '../hold/hold-store.ts'
import { broadcastPayment } from '../payment/submit-payment.ts'
import { lowerExpiryHeight, type PaymentRow, voidPayment, markSettled } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { emitPurchase, type PurchaseRow } from '../purchase/purchase-store.ts'
import { purchaseFields } from '../purchase/purchase-wait.ts'
import { type VerifiedCandidate } from '../settlement/candidate.ts'
import { correctHeldAtSlot, letCount, type PaymentOutcome, settlePayment } from '../settlement/settle-payment.ts'
import { type PurchaseAction, type PurchaseDecision } from './purchase-decision.ts'
import { saveHistorySearches, type DuePurchase, setReleaseHeight } from './reconciliation-store.ts'
import { candidatesFor, ruleOut } from './prove-expired.ts'
import {
  type CaseMove,
  type CaseRow,
  forgetRefund,
  giveUpDelivery,
  lockCase,
  lowerPrepared,
  moveCase,
  notePaymentFinal,
} from '../cases/case-store.ts'
import { isClosed } from '../cases/case.ts'
import { recordRefund } from '../cases/refund-case.ts'
import { insertSeenRefunds } from '../cases/seen-refund-store.ts'
import { type CaseAction, type CaseDecision, type CaseSnapshot } from './case-decision.ts'

/** Carries out a decision. Each action decides again under its locks whether it still applies, so a stale decision does no harm. */
export async function applyPurchaseDecision(deps: PurchaseDeps, purchase: DuePurchase, { actions }: PurchaseDecision): Promise<void> {
  for (const action of actions) {
    const settled = await applyAction(deps, purchase, action)
    if (settled) return
  }
}

const endReasons = { unpaid: endsUnpaid, failed: () => 'failed' as const, chainGone: () => 'chain_gone' as const }

/** @returns whether this settled the purchase. */
async function applyAction(deps: PurchaseDeps, purchase: DuePurchase, action: PurchaseAction): Promise<boolean> {
  const { database, chain } = deps
  switch (action.kind) {
    case 'settle':
      return settle(deps, purchase, action.candidate)
    case 'ruleOut':
      ruleOut(chain, candidatesFor(purchase), action.candidate.signature)
      break
    case 'endHold':
      await endHoldAlone(deps, purchase.id, endReasons[action.because], action)
      break
    case 'broadcast':
      await broadcastPayment(deps, purchase, action.payment)
      break
    case 'voidPayment':
      await giveUp(deps, purchase, action.payment)
      break
    case 'lowerHeldAtSlot':
      await correctHeldAtSlot(deps, purchase, action.slot)
      break
    case 'noteUnfunded':
      await inTransaction(database, (tx) => markUnfunded(tx, purchase.id))
      break
    case 'setReleaseHeight':
      await setReleaseHeight(database, purchase, action.height)
      break
    case 'lowerExpiryHeight':
      await lowerExpiryHeight(database, action.payment.signature, action.height)
      deps.log.warn(purchaseFields(purchase, { waitingFor: null }), 'a payment would have expired too late; its height was lowered')
      break
    case 'saveSearches':
      await saveHistorySearches(database, action.searches)
      break
    case 'markUnprovable':
      await inTransaction(database, (tx) => markUnprovable(tx, purchase.id, action))
      if (action.unprovable) {
        const fields = purchaseFields(purchase, { waitingFor: 'the studio to release it' })
        deps.log.warn(fields, 'no endpoint can prove that this hold was not paid; the studio can release it')
      }
      break
    case 'openVanishedCase':
      await openVanishedCase(deps, purchase, action.payment)
      break
    case 'replacePayment':
      await replaceDropped(deps, purchase, action)
      break
  }
  return false
}

/** If none of the others can count any more, all of them are cases. */
async function replaceDropped(
  deps: PurchaseDeps,
  purchase: DuePurchase,
  { payment, candidates, last }: Extract<PurchaseAction, { kind: 'replacePayment' }>,
): Promise<void> {
  for (const candidate of candidates) if (await letCount(deps, purchase, payment, candidate)) return
  if (!last) return
  await openVanishedCase(deps, purchase, payment)
  for (const candidate of candidates) await settle(deps, purchase, candidate)
}

async function settle(deps: PurchaseDeps, purchase: PurchaseRow, candidate: VerifiedCandidate): Promise<boolean> {
  const outcome = await settlePayment(deps, purchase, candidate)
  const isFinal = candidate.status?.commitment === 'finalized'
  if (isFinal && isPermanent(outcome)) ruleOut(deps.chain, candidatesFor(purchase), candidate.signature)
  return outcome.kind === 'settled'
}

/** Whether this outcome of a finalized transaction can never change. */
function isPermanent(outcome: PaymentOutcome): boolean {
  if (outcome.kind === 'unrelated') return outcome.permanent
  return outcome.kind !== 'settled' && outcome.kind !== 'pending'
}

async function giveUp({ database }: PurchaseDeps, { id }: PurchaseRow, { signature }: PaymentRow): Promise<void> {
  await voidPayment(database, signature)
  await emitPurchase(database, id)
}

/** Carries out a decision. Each action decides again under its locks whether it still applies, so a stale decision does no harm. */
export async function applyCaseDecision(deps: PurchaseDeps, snapshot: CaseSnapshot, { actions }: CaseDecision): Promise<void> {
  for (const action of actions) await applyCaseAction(deps, snapshot, action)
}

async function applyCaseAction(deps: PurchaseDeps, snapshot: CaseSnapshot, action: CaseAction): Promise<void> {
  const { database } = deps
  const { row, subject } = snapshot
  switch (action.kind) {
    case 'closeWithChain': {
      const note = 'The local chain was restarted, and the SOL of this payment is gone with it.'
      return moveFrom(deps, snapshot, ({ status }) => !isClosed(status), { status: 'closed', reconcileSeconds: null, note })
    }
    case 'closeDropped': {
      const note = 'The network dropped this payment before it was final, so no SOL moved.'
      return moveFrom(deps, snapshot, ({ status, paymentFinal }) => status === 'open' && !paymentFinal, {
        status: 'closed',
        reconcileSeconds: null,
        note,
      })
    }
    case 'notePaymentFinal':
      return notePaymentFinal(database, row.id)
    case 'broadcast':
      return broadcastPayment(deps, subject, action.payment)
    case 'closeRefunded':
      return moveFrom(deps, snapshot, isRefunding, { status: 'refunded', reconcileSeconds: null }, (tx) =>
        markSettled(tx, action.payment.signature, action.slot),
      )
    case 'reopen':
      return moveFrom(deps, snapshot, isRefunding, { status: 'open', reconcileSeconds: 0 }, (tx) =>
        voidPayment(tx, action.payment.signature),
      )
    case 'recordRefund':
      // The seller's wallet has sent it by itself.
      return void (await recordRefund(deps, snapshot, { ...action.transaction, expiryHeight: action.expiryHeight }))
    case 'closeRefundedTogether': {
      // A transaction is recorded for one purpose only. If that is a different one, it closes this case as soon as it is finalized.
      const note = `Paid back together with others, by ${action.transaction.signature}.`
      return moveFrom(deps, snapshot, ({ status }) => status === 'open', { status: 'refunded', reconcileSeconds: null, note })
    }
    case 'lowerPrepared':
      return lowerPrepared(database, row.id, action.height)
    case 'lowerRefund':
      return lowerExpiryHeight(database, action.payment.signature, action.height)
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

const isRefunding = ({ status }: CaseRow) => status === 'refunding'

/** Moves a case to which this still applies, in one transaction with what `record` records. */
async function moveFrom(
  deps: PurchaseDeps,
  { row, subject }: CaseSnapshot,
  applies: (locked: CaseRow) => boolean,
  move: CaseMove,
  record?: (tx: Tx) => Promise<void>,
): Promise<void> {
  const moved = await inTransaction(deps.database, async (tx) => {
    const locked = await lockCase(tx, row.id)
    if (!locked || !applies(locked)) return undefined
    await record?.(tx)
    return moveCase(tx, row.id, move)
  })
  if (moved && isClosed(moved.status)) logCase(deps, 'closed', moved, subject)
}
