import { inTransaction } from '../../../database/transact.ts'
import { openVanishedCase } from '../../cases/open-case.ts'
import { endHoldAlone } from '../../hold/end-hold.ts'
import { markUnprovable } from '../../hold/mark-unprovable.ts'
import { endsUnpaid, endsUnsent } from '../../hold/hold.ts'
import { broadcastPayment } from '../../payment/broadcast-payment.ts'
import { lowerExpiryHeight, type PaymentRow, voidPayment } from '../../payment/payment-store.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { emitPurchase, type PurchaseRow } from '../../purchase-store.ts'
import { purchaseFields } from '../../purchase-wait.ts'
import { type VerifiedCandidate } from '../../settlement/candidate.ts'
import { type PaymentOutcome, settlePayment } from '../../settlement/settle-payment.ts'
import { type PurchaseAction, type PurchaseDecision } from './purchase-decision.ts'
import { saveHistorySearches } from './history-search-store.ts'
import { type DuePurchase, setReleaseHeight } from '../reconciliation-store.ts'
import { ruleOut } from '../rule-out-candidates.ts'

/** Carries out a decision. Each action decides again under its locks whether it still applies, so a stale decision does no harm. */
export async function applyPurchaseDecision(deps: PurchaseDeps, purchase: DuePurchase, { actions }: PurchaseDecision): Promise<void> {
  for (const action of actions) {
    const settled = await apply(deps, purchase, action)
    if (settled) return
  }
}

const endReasons = { unsent: endsUnsent, unpaid: endsUnpaid, failed: () => 'failed' as const, chainGone: () => 'chain_gone' as const }

/** @returns whether this settled the purchase. */
async function apply(deps: PurchaseDeps, purchase: DuePurchase, action: PurchaseAction): Promise<boolean> {
  const { database, chain } = deps
  switch (action.kind) {
    case 'settle':
      return settle(deps, purchase, action.candidate)
    case 'ruleOut':
      ruleOut(chain, purchase.id, action.candidate.signature)
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
    case 'markFinalized':
      // Recorded when the leases are returned, for the whole round at once.
      break
    case 'openVanishedCase':
      await openVanishedCase(deps, purchase, action.payment)
      break
  }
  return false
}

async function settle(deps: PurchaseDeps, purchase: PurchaseRow, candidate: VerifiedCandidate): Promise<boolean> {
  const outcome = await settlePayment(deps, purchase, candidate)
  const isFinal = candidate.status?.commitment === 'finalized'
  if (isFinal && isPermanent(outcome)) ruleOut(deps.chain, purchase.id, candidate.signature)
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
