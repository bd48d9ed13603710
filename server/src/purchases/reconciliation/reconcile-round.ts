import { type PurchaseDeps } from '../purchase-deps.ts'
import { applyCaseDecision } from './case/apply-case-decision.ts'
import { applyPurchaseDecision } from './purchase/apply-purchase-decision.ts'
import { decideCase } from './case/case-decision.ts'
import { openRound, type Round } from './purchase/open-round.ts'
import { decidePurchase } from './purchase/purchase-decision.ts'
import { readCaseSnapshot } from './case/read-case-snapshot.ts'
import { readPurchaseSnapshot } from './purchase/read-purchase-snapshot.ts'
import { collectWrites } from './collect-writes.ts'
import {
  type DueCase,
  type DuePurchase,
  leaseDue,
  leaseDueCases,
  type ReturnedLease,
  returnLeases,
  scheduleCaseReconciliation,
} from './reconciliation-store.ts'
import { CASE_LEASES, LEASE_SECONDS, leaseLimits, RETRY_SECONDS } from './schedule.ts'

/** A round under way. */
export interface RoundUnderWay {
  /** More may be due. */
  more: boolean
  /** Never rejects: whatever could not be reconciled is due again when its lease ends. */
  done: Promise<unknown>
}

/** One whole round: reconciles what is due. */
export async function reconcileOnce(deps: PurchaseDeps): Promise<void> {
  const round = await beginRound(deps)
  await round.done
}

/** Leases what is due, as much as the chain's budget has room for, and begins to reconcile it. */
export async function beginRound(deps: PurchaseDeps): Promise<RoundUnderWay> {
  const { database, chain, log } = deps
  const limits = leaseLimits({ perSecond: chain.budget().perSecond, saturated: chain.isSaturated(), spare: chain.hasSpare() })
  const [purchases, cases] = await Promise.all([
    leaseDue(database, limits, LEASE_SECONDS),
    leaseDueCases(database, { limit: CASE_LEASES, leaseSeconds: LEASE_SECONDS }),
  ])
  const round = openRound(deps, purchases)
  const returnLease = collectWrites<ReturnedLease>(purchases.length, (returned) => returnLeases(database, returned))
  const reconciliations = [
    ...purchases.map(async (purchase) => returnLease(await reconcilePurchase(deps, round, purchase))),
    ...cases.map(async (row) => scheduleCaseReconciliation(database, row, await reconcileCase(deps, row))),
  ].map((reconciliation) =>
    reconciliation.catch((error: unknown) => log.warn({ err: error }, 'a lease could not be returned; it will run out')),
  )
  const more = purchases.length >= limits.paid || cases.length === CASE_LEASES
  return { more, done: Promise.all(reconciliations) }
}

/** If it fails, mostly because the chain cannot be asked, nothing was decided, and it is due again soon. */
async function reconcilePurchase(deps: PurchaseDeps, round: Round, purchase: DuePurchase): Promise<ReturnedLease> {
  try {
    const snapshot = await readPurchaseSnapshot(deps, round, purchase)
    const decision = decidePurchase(snapshot)
    await applyPurchaseDecision(deps, purchase, decision)
    const finalized = decision.actions.some(({ kind }) => kind === 'markFinalized')
    return { purchase, seconds: decision.nextSeconds, scannedBuyer: snapshot.scannedBuyer, finalized }
  } catch (error) {
    deps.log.warn({ err: error, purchaseId: purchase.id, status: purchase.status }, 'reconciling a purchase failed; trying again')
    return { purchase, seconds: RETRY_SECONDS, scannedBuyer: false, finalized: false }
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
