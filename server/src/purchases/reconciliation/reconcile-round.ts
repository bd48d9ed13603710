import { type PurchaseDeps } from '../purchase-deps.ts'
import { applyCaseDecision } from './case/apply-case-decision.ts'
import { applyPurchaseDecision } from './purchase/apply-purchase-decision.ts'
import { decideCase } from './case/case-decision.ts'
import { openRound, type Round } from './purchase/open-round.ts'
import { decidePurchase } from './purchase/purchase-decision.ts'
import { readCaseSnapshot } from './case/read-case-snapshot.ts'
import { readPurchaseSnapshot } from './purchase/read-purchase-snapshot.ts'
import {
  type DueCase,
  type DuePurchase,
  leaseDue,
  leaseDueCases,
  scheduleCaseReconciliation,
  scheduleReconciliation,
} from './reconciliation-store.ts'
import { CASE_LEASES, CLOSED_LEASES, LEASE_SECONDS, OPEN_LEASES, RETRY_SECONDS } from './schedule.ts'

/** A round under way. */
export interface RoundUnderWay {
  /** More may be due. */
  more: boolean
  /** Never rejects: whatever could not be reconciled is due again when its lease ends. */
  done: Promise<unknown>
}

/** One whole round: reconciles what is due. */
export async function reconcileOnce(deps: PurchaseDeps): Promise<void> {
  const round = await beginRound(deps, OPEN_LEASES.least)
  await round.done
}

/** Leases what is due, at most `openLeases` of the open purchases, and begins to reconcile it. */
export async function beginRound(deps: PurchaseDeps, openLeases: number): Promise<RoundUnderWay> {
  const { database, log } = deps
  const leaseSeconds = LEASE_SECONDS
  const [open, closed, cases] = await Promise.all([
    leaseDue(database, { which: 'open', limit: openLeases, leaseSeconds }),
    leaseDue(database, { which: 'closed', limit: CLOSED_LEASES, leaseSeconds }),
    leaseDueCases(database, { limit: CASE_LEASES, leaseSeconds }),
  ])
  const purchases = [...open, ...closed]
  const round = openRound(deps, purchases)
  const reconciliations = [
    ...purchases.map(async (purchase) => scheduleReconciliation(database, purchase, await reconcilePurchase(deps, round, purchase))),
    ...cases.map(async (row) => scheduleCaseReconciliation(database, row, await reconcileCase(deps, row))),
  ].map((reconciliation) =>
    reconciliation.catch((error: unknown) => log.warn({ err: error }, 'a lease could not be returned; it will run out')),
  )
  const more = open.length === openLeases || closed.length === CLOSED_LEASES || cases.length === CASE_LEASES
  return { more, done: Promise.all(reconciliations) }
}

/** If it fails, mostly because the chain cannot be asked, nothing was decided, and it is due again soon. */
async function reconcilePurchase(deps: PurchaseDeps, round: Round, purchase: DuePurchase) {
  try {
    const snapshot = await readPurchaseSnapshot(deps, round, purchase)
    const decision = decidePurchase(snapshot)
    await applyPurchaseDecision(deps, purchase, decision)
    return { seconds: decision.nextSeconds, scannedBuyer: snapshot.scannedBuyer }
  } catch (error) {
    deps.log.warn({ err: error, purchaseId: purchase.id, status: purchase.status }, 'reconciling a purchase failed; trying again')
    return { seconds: RETRY_SECONDS, scannedBuyer: false }
  }
}

/** As `reconcilePurchase`. */
async function reconcileCase(deps: PurchaseDeps, row: DueCase): Promise<number | null> {
  try {
    const snapshot = await readCaseSnapshot(deps, row)
    const decision = decideCase(snapshot)
    await applyCaseDecision(deps, snapshot, decision)
    return decision.nextSeconds
  } catch (error) {
    deps.log.warn({ err: error, caseId: row.id, status: row.status }, 'reconciling a case failed; trying again')
    return RETRY_SECONDS
  }
}
