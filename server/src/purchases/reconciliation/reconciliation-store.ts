import { type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type CaseRow } from '../cases/case-store.ts'
import { inSeconds, now } from '../../database/time.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseRow, windowClosed } from '../purchase-store.ts'

/** A purchase that this server has leased to reconcile. */
export interface DuePurchase extends PurchaseRow {
  windowClosed: boolean
  ageSeconds: number
  /** Since it was settled or ended; 0 while it is held. */
  secondsSinceClosed: number
}

/** A case that this server has leased to reconcile. */
export interface DueCase extends CaseRow {
  secondsOpen: number
}

/** Someone is waiting for these: holds, and deliveries whose payment is not finalized yet. */
const isOpen = sql<boolean>`(status = 'held' or (status = 'settled' and finalized_at is null))`

/**
 * Leases up to `limit` purchases that are due for `leaseSeconds`. No other server takes them meanwhile, and if this one dies they are
 * due again.
 */
export async function leaseDue(
  database: Database,
  { which, limit, leaseSeconds }: { which: 'open' | 'closed'; limit: number; leaseSeconds: number },
): Promise<DuePurchase[]> {
  const due = database
    .selectFrom('purchases')
    .select('id')
    .where('reconcileAt', '<=', now)
    .where(which === 'open' ? isOpen : sql<boolean>`not ${isOpen}`)
    .orderBy('reconcileAt')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return (
    database
      .updateTable('purchases')
      .set({ reconcileAt: inSeconds(leaseSeconds), reconciledAt: now })
      // An array is read once; a subquery the planner may read again for each row, and then lease more than the limit.
      .where(sql<boolean>`id = any(array(${due}))`)
      .returningAll()
      .returning([
        windowClosed.as('windowClosed'),
        sql<number>`extract(epoch from now() - created_at)::float8`.as('ageSeconds'),
        sql<number>`coalesce(extract(epoch from now() - coalesce(settled_at, ended_at)), 0)::float8`.as('secondsSinceClosed'),
      ])
      .execute()
  )
}

/** Leases cases that are due, as `leaseDue` does purchases. */
export async function leaseDueCases(
  database: Database,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<DueCase[]> {
  const due = database
    .selectFrom('cases')
    .select('id')
    .where('reconcileAt', '<=', now)
    .orderBy('reconcileAt')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return database
    .updateTable('cases')
    .set({ reconcileAt: inSeconds(leaseSeconds) })
    .where(sql<boolean>`id = any(array(${due}))`)
    .returningAll()
    .returning(sql<number>`extract(epoch from now() - opened_at)::float8`.as('secondsOpen'))
    .execute()
}

/** Returns a lease: `seconds` until the purchase is due again, null for never. If it changed meanwhile, it keeps the time it was given then. */
export async function scheduleReconciliation(
  database: Database,
  purchase: PurchaseRow,
  { seconds, scannedBuyer }: { seconds: number | null; scannedBuyer: boolean },
): Promise<void> {
  await database
    .updateTable('purchases')
    .set({
      reconcileAt: seconds === null ? null : inSeconds(seconds),
      reconciliations: sql<number>`reconciliations + 1`,
      buyerScans: sql<number>`buyer_scans + ${scannedBuyer ? 1 : 0}`,
    })
    .where('id', '=', purchase.id)
    .where('status', '=', purchase.status)
    .where('reconcileAt', '=', purchase.reconcileAt)
    .execute()
}

/** Returns the lease of a case, as `scheduleReconciliation` does that of a purchase. */
export async function scheduleCaseReconciliation(database: Database, row: CaseRow, seconds: number | null): Promise<void> {
  await database
    .updateTable('cases')
    .set({ reconcileAt: seconds === null ? null : inSeconds(seconds) })
    .where('id', '=', row.id)
    .where('status', '=', row.status)
    .where('reconcileAt', '=', row.reconcileAt)
    .execute()
}

/** For each purchase, the payment that matters to it: the recorded one of a hold, or the one that settled it. */
export async function listCurrentPayments(database: Database, purchases: readonly PurchaseRow[]): Promise<PaymentRow[]> {
  if (purchases.length === 0) return []
  const ids = purchases.map(({ id }) => id)
  return database
    .selectFrom('payments as m')
    .innerJoin('purchases as p', 'p.id', 'm.purchaseId')
    .selectAll('m')
    .where('p.id', 'in', ids)
    .where('m.kind', '=', 'purchase')
    .where(sql<boolean>`(p.status = 'held' and m.status = 'recorded' or p.status = 'settled' and m.signature = p.signature)`)
    .execute()
}

/** Set once, and only after the payment window has closed. */
export async function setReleaseHeight(database: Database, id: string, height: bigint): Promise<void> {
  await database.updateTable('purchases').set({ releaseHeight: height }).where('id', '=', id).where('releaseHeight', 'is', null).execute()
}

export async function markFinalized(database: Database, id: string): Promise<void> {
  await database.updateTable('purchases').set({ finalizedAt: now }).where('id', '=', id).execute()
}

/** So many of a wallet's purchases, or cases, become due when it opens their list; the schedule takes care of the others. */
const REQUESTED_PURCHASES = 10
const REQUESTED_CASES = 20

/** Makes a wallet's newest ended purchases due now, except those reconciled within `pauseSeconds`. */
export async function reconcileEndedOf(database: Database, wallet: WalletAddress, pauseSeconds: number): Promise<void> {
  await database
    .updateTable('purchases')
    .set({ reconcileAt: now })
    .where('id', 'in', (query) =>
      query
        .selectFrom('purchases')
        .select('id')
        .where((or) => or.or([or('buyer', '=', wallet), or('seller', '=', wallet)]))
        .where('status', '=', 'ended')
        .orderBy('id', 'desc')
        .limit(REQUESTED_PURCHASES),
    )
    .where('status', '=', 'ended')
    .where('reconcileAt', '>', now)
    .where((or) =>
      or.or([or('reconciledAt', 'is', null), or('reconciledAt', '<', sql<Date>`now() - make_interval(secs => ${pauseSeconds})`)]),
    )
    .execute()
}

/** Makes a wallet's newest open cases due within `pauseSeconds`, in case the seller's wallet sent a refund by itself. */
export async function reconcileOpenCasesOf(database: Database, wallet: WalletAddress, pauseSeconds: number): Promise<void> {
  const soon = inSeconds(pauseSeconds)
  await database
    .updateTable('cases')
    .set({ reconcileAt: soon })
    .where('id', 'in', (query) =>
      query
        .selectFrom('cases as c')
        .innerJoin('purchases as p', 'p.id', 'c.purchaseId')
        .select('c.id')
        .where((or) => or.or([or('p.buyer', '=', wallet), or('p.seller', '=', wallet)]))
        .where('c.status', '=', 'open')
        .orderBy('c.id', 'desc')
        .limit(REQUESTED_CASES),
    )
    .where('status', '=', 'open')
    .where((or) => or.or([or('reconcileAt', 'is', null), or('reconcileAt', '>', soon)]))
    .execute()
}
