import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { applyCaseDecision, applyPurchaseDecision } from './apply-decisions.ts'
import { waitOfCase } from '../cases/case.ts'
import { decideCase } from './case-decision.ts'
import { longWaitSeconds, purchaseFields, type Wait, waitOf } from '../purchase/purchase-wait.ts'
import { openRound, type Round } from './search-candidates.ts'
import { decidePurchase } from './purchase-decision.ts'
import { readCaseSnapshot } from './read-case-snapshot.ts'
import { readPurchaseSnapshot } from './read-purchase-snapshot.ts'
import {
  type DueCase,
  type DuePurchase,
  leaseDue,
  leaseDueCases,
  type ReturnedLease,
  returnLeases,
  scheduleCaseReconciliation,
} from './reconciliation-store.ts'
import { LEASE_SECONDS, leaseLimits, RETRY_SECONDS, pauseMillis } from './schedule.ts'
import { delay } from '../../runtime/repeat.ts'

/** How long finished items wait for the rest of their round. */
const PATIENCE_MILLIS = 200

interface Batch<T> {
  items: T[]
  written: Promise<void>
  write(): void
}

/**
 * Collects what many tasks have to write, and writes it in one statement once all of them are done. Slow tasks do not delay finished items
 * for long.
 *
 * @param tasks how many items to expect.
 * @returns a function that adds an item and resolves once it is written.
 */
function collectWrites<T>(tasks: number, write: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let left = tasks
  let batch: Batch<T> | undefined

  const open = (): Batch<T> => {
    const items: T[] = []
    let close = () => {}
    const closed = new Promise<void>((resolve) => (close = resolve))
    const timer = setTimeout(close, PATIENCE_MILLIS)
    const written = closed.then(() => {
      clearTimeout(timer)
      batch = undefined
      return write(items)
    })
    return { items, written, write: close }
  }

  return (item) => {
    batch ??= open()
    const { items, written, write: writeNow } = batch
    items.push(item)
    left -= 1
    if (left === 0) writeNow()
    return written
  }
}

/** A round under way. */
export interface RoundUnderWay {
  /** More may be due. */
  more: boolean
  /** Never rejects: anything that could not be reconciled is due again when its lease ends. */
  done: Promise<unknown>
}

/** One whole round: reconciles what is due. */
export async function reconcileOnce(deps: PurchaseDeps): Promise<void> {
  const round = await beginRound(deps)
  await round.done
}

/** Leases due purchases and cases, as many as the chain budget allows, and begins to reconcile them. */
async function beginRound(deps: PurchaseDeps): Promise<RoundUnderWay> {
  const { database, chain, failures } = deps
  const limits = leaseLimits({ perSecond: chain.budget().perSecond, saturated: chain.isSaturated(), spare: chain.hasSpare() })
  const [purchases, cases] = await Promise.all([
    leaseDue(database, limits, LEASE_SECONDS),
    leaseDueCases(database, { limit: limits.cases, leaseSeconds: LEASE_SECONDS }),
  ])
  tellWhatWorks(deps)
  const round = openRound(deps, purchases)
  const returnLease = collectWrites<ReturnedLease>(purchases.length, (returned) => returnLeases(database, returned))
  const reconciliations = [
    ...purchases.map(async (purchase) => returnLease(await reconcilePurchase(deps, round, purchase))),
    ...cases.map(async (row) => scheduleCaseReconciliation(database, row, await reconcileCase(deps, row))),
  ].map((reconciliation) =>
    reconciliation.catch((error: unknown) => failures.failed(error, {}, 'a lease could not be returned; it will run out')),
  )
  const more = purchases.length >= limits.paid
  return { more, done: Promise.all(reconciliations) }
}

/** Nothing else runs this often, even without calls, and needs a database that takes writes. */
function tellWhatWorks({ chain, failures }: PurchaseDeps): void {
  failures.database.worked()
  if (chain.isUp()) failures.chain.worked()
  else failures.chain.began('no endpoint answers')
  if (!chain.isSaturated()) failures.chainBudget.worked()
}

/** If it fails, usually because the chain cannot be reached, nothing is decided, and it is due again soon. */
async function reconcilePurchase(deps: PurchaseDeps, round: Round, purchase: DuePurchase): Promise<ReturnedLease> {
  const { leasedAt: now, secondsToPay } = purchase
  const payUntil = new Date(now.getTime() + secondsToPay * 1_000)
  let wait = waitOf(purchase, { now, payUntil, payment: undefined })
  try {
    wait = waitOf(purchase, { now, payUntil, payment: (await round.payments).get(purchase.id) })
    logLongWait(deps, purchase, wait)
    const snapshot = await readPurchaseSnapshot(deps, round, purchase)
    const decision = decidePurchase(snapshot)
    await applyPurchaseDecision(deps, purchase, decision)
    const { nextSeconds: seconds, finalized = false } = decision
    return { purchase, seconds, search: snapshot.search, scannedBuyer: snapshot.scannedBuyer, finalized }
  } catch (error) {
    deps.failures.failed(error, purchaseFields(purchase, wait), 'reconciling a purchase failed; trying again')
    return { purchase, seconds: RETRY_SECONDS, search: purchase, scannedBuyer: false, finalized: false }
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
    const fields = purchaseFields({ id: row.purchaseId, buyer: row.buyer }, { waitingFor: waitOfCase(row) })
    deps.failures.failed(error, { case: row.id, ...fields }, 'reconciling a case failed; trying again')
    return RETRY_SECONDS
  }
}

/** Logs which purchase is waiting for what and since when, once the wait is longer than usual. */
function logLongWait({ chain, log }: PurchaseDeps, purchase: DuePurchase, wait: Wait | undefined): void {
  const seconds = wait && longWaitSeconds(wait, { now: purchase.leasedAt, last: purchase.lastLeasedAt })
  if (!wait || seconds === undefined) return
  const fields = { ...purchaseFields(purchase, wait), since: wait.since, seconds, chain: chain.isUp() ? 'up' : 'down' }
  log.warn(fields, 'a purchase waits for longer than usual')
}

/** Rounds under way at once, at most. */
const ROUNDS = 32
/** The next round begins after this time in any case, so that reconciliations that wait for the chain do not delay others. */
const ROUND_MILLIS = 400

export interface Reconciliation {
  /**
   * Seconds since the last round began for which the database returned what is due; before the first such round, since this was created.
   */
  age(): number
  /**
   * Starts the rounds.
   * @returns a function that stops them; it resolves when the rounds under way are done
   */
  start(): () => Promise<void>
}

/**
 * Reconciles every purchase and every case with the chain, on each server. Everything it needs is in the database, so a closed browser or a
 * killed server changes nothing.
 */
export function createReconciliation(deps: PurchaseDeps): Reconciliation {
  let begunAt = performance.now()
  const onBegun = () => (begunAt = performance.now())
  return {
    age: () => (performance.now() - begunAt) / 1_000,
    start: () => {
      const stopping = new AbortController()
      const running = run(deps, stopping.signal, onBegun)
      return async () => {
        stopping.abort()
        await running
      }
    },
  }
}

async function run(deps: PurchaseDeps, signal: AbortSignal, onBegun: () => void): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  while (!signal.aborted) {
    let more = false
    try {
      const round = await beginRound(deps)
      onBegun()
      more = round.more
      underWay.add(round.done)
      void round.done.then(() => underWay.delete(round.done))
      await Promise.race([round.done, delay(ROUND_MILLIS, signal)])
    } catch (error) {
      deps.failures.failed(error, {}, 'a round of reconciliation failed; trying again')
    }
    await delay(pauseMillis({ more }), signal)
    if (underWay.size >= ROUNDS) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}
