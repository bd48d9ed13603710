import { sql, type RawBuilder } from 'kysely'
import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { now, columnsOf, inSeconds } from '../../database/columns.ts'
import { type HistorySearch, type ReferenceSearch } from './history-search.ts'
import { caseColumns, type CaseRow } from '../cases/case-store.ts'
import { paymentColumns, type PaymentRow } from '../payment/payment-store.ts'
import { purchaseColumns, purchaseItems, type PurchaseRow, windowClosed } from '../purchase/purchase-store.ts'
import { type LeaseLimits } from './schedule.ts'

const columns = [
  'purchaseId',
  'endpoint',
  'address',
  'pages',
  'listedTo',
  'listed',
  'decidedTo',
  'decided',
  'obstacle',
  'firstSlot',
] as const satisfies (keyof HistorySearch)[]

/** How far the histories have been searched for a purchase, on all endpoints. */
export async function listHistorySearches(database: Database | Tx, purchaseId: string): Promise<HistorySearch[]> {
  return database.selectFrom('historySearches').select(columns).where('purchaseId', '=', purchaseId).execute()
}

/** An obstacle is permanent: no later search by another server can remove it. */
export async function saveHistorySearches(database: Database, searches: readonly HistorySearch[]): Promise<void> {
  await database
    .insertInto('historySearches')
    .values([...searches])
    .onConflict((conflict) =>
      conflict
        .columns(['purchaseId', 'endpoint', 'address'])
        .doUpdateSet((query) => ({
          pages: query.ref('excluded.pages'),
          listedTo: query.ref('excluded.listedTo'),
          listed: query.ref('excluded.listed'),
          decidedTo: query.ref('excluded.decidedTo'),
          decided: query.ref('excluded.decided'),
          obstacle: query.ref('excluded.obstacle'),
          firstSlot: query.ref('excluded.firstSlot'),
          updatedAt: now,
        }))
        .where(sql<boolean>`history_searches.obstacle is null`),
    )
    .execute()
}

/** A purchase that this server has leased to reconcile. */
export interface DuePurchase extends PurchaseRow, ReferenceSearch {
  windowClosed: boolean
  /** By the database's clock. A round sends its requests to the chain after this time. */
  leasedAt: Date
  ageSeconds: number
  /** Until the payment window closes; negative after that. */
  secondsToPay: number
  /** Since it was settled or ended; 0 while it is held. */
  secondsSinceClosed: number
  /** When it was leased before that. */
  lastLeasedAt: Date | null
}

/** A case that this server has leased to reconcile. */
export interface DueCase extends CaseRow {
  secondsOpen: number
  buyer: WalletAddress
}

/** Purchases that someone is waiting for: holds, and deliveries whose payment is not finalized yet. */
const isOpen = sql<boolean>`(status = 'held' or (status = 'settled' and finalized_at is null))`
/** Only statuses are requested for these, which cost next to nothing in a batch. */
const isPaid = sql<boolean>`(status = 'settled' or exists (
  select from payments m where m.purchase_id = purchases.id and m.kind = 'purchase' and m.status = 'recorded'
))`

/**
 * Leases purchases that are due for `leaseSeconds`. No other server takes them in that time; if this server dies, they are due again
 * afterwards. One statement for the whole round.
 */
export async function leaseDue(database: Database, limits: LeaseLimits, leaseSeconds: number): Promise<DuePurchase[]> {
  const due = (kind: RawBuilder<boolean>, limit: number) =>
    database
      .selectFrom('purchases')
      .select('id')
      .where('reconcileAt', '<=', now)
      .where(kind)
      .orderBy('reconcileAt')
      .limit(limit)
      .forUpdate()
      .skipLocked()
  const paid = due(sql<boolean>`${isOpen} and ${isPaid}`, limits.paid)
  const unpaid = due(sql<boolean>`${isOpen} and not ${isPaid}`, limits.unpaid)
  const closed = due(sql<boolean>`not ${isOpen}`, limits.closed)
  return (
    database
      .updateTable('purchases')
      .set({ reconcileAt: inSeconds(leaseSeconds), reconciledAt: now })
      // An array is read once; the planner may evaluate a subquery again for each row and then lease more than the limit.
      .where(sql<boolean>`id = any(array(${paid}) || array(${unpaid}) || array(${closed}))`)
      .returning(purchaseColumns)
      .returning([
        purchaseItems,
        windowClosed.as('windowClosed'),
        sql<number>`extract(epoch from now() - created_at)::float8`.as('ageSeconds'),
        sql<number>`extract(epoch from pay_until(purchases) - now())::float8`.as('secondsToPay'),
        sql<Signature | null>`decided_to`.as('decidedTo'),
        sql<Signature | null>`listed_to`.as('listedTo'),
        inSeconds(0).as('leasedAt'),
        sql<number>`coalesce(extract(epoch from now() - coalesce(settled_at, ended_at)), 0)::float8`.as('secondsSinceClosed'),
        // The subquery sees the row as it was before this statement.
        sql<Date | null>`(select before.reconciled_at from purchases before where before.id = purchases.id)`.as('lastLeasedAt'),
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
    .returning(caseColumns)
    .returning([
      sql<number>`extract(epoch from now() - opened_at)::float8`.as('secondsOpen'),
      sql<WalletAddress>`coalesce(cases.buyer, (select p.buyer from purchases p where p.id = cases.purchase_id))`.as('buyer'),
    ])
    .execute()
}

/** What a round records about one purchase when it returns the lease. */
export interface ReturnedLease {
  purchase: Pick<PurchaseRow, 'id' | 'status' | 'reconcileAt'>
  /** Until the purchase is due again; null for never. */
  seconds: number | null
  /** How far its reference is searched. */
  search: ReferenceSearch
  /** The buyer's own transactions were searched. */
  scannedBuyer: boolean
  /** The payment that settled it is finalized. */
  finalized: boolean
}

/** Returns leases, in one statement. A purchase that changed in the meantime keeps its newer due time, and is not marked. */
export async function returnLeases(database: Database, leases: readonly ReturnedLease[]): Promise<void> {
  const column = <T>(valueOf: (lease: ReturnedLease) => T) => leases.map(valueOf)
  await sql`
    update purchases p
    set reconcile_at = date_trunc('milliseconds', now() + make_interval(secs => r.seconds)),
      reconciliations = reconciliations + 1,
      decided_to = r.decided_to,
      listed_to = r.listed_to,
      buyer_scans = buyer_scans + r.scans,
      finalized_at = case when r.finalized then coalesce(p.finalized_at, now()) else p.finalized_at end
    from unnest(
      ${column(({ purchase }) => purchase.id)}::uuid[],
      ${column(({ purchase }) => purchase.status)}::text[],
      ${column(({ purchase }) => purchase.reconcileAt)}::timestamptz[],
      ${column(({ seconds }) => seconds)}::float8[],
      ${column(({ search }) => search.decidedTo)}::text[],
      ${column(({ search }) => search.listedTo)}::text[],
      ${column(({ scannedBuyer }) => (scannedBuyer ? 1 : 0))}::int[],
      ${column(({ finalized }) => finalized)}::boolean[]
    ) as r (id, status, leased_until, seconds, decided_to, listed_to, scans, finalized)
    where p.id = r.id and p.status = r.status and p.reconcile_at = r.leased_until
  `.execute(database)
}

/** Returns the lease of a case, as `returnLeases` does those of purchases. */
export async function scheduleCaseReconciliation(database: Database, row: CaseRow, seconds: number | null): Promise<void> {
  await database
    .updateTable('cases')
    .set({ reconcileAt: seconds === null ? null : inSeconds(seconds) })
    .where('id', '=', row.id)
    .where('status', '=', row.status)
    .where('reconcileAt', '=', row.reconcileAt)
    .execute()
}

/** The current payment of a purchase: the one recorded for a hold, or the one that settled it. */
export interface CurrentPayment extends PaymentRow {
  purchaseId: string
  /** Since it was recorded. */
  ageSeconds: number
}

/** The current payments of those purchases that have one. */
export async function listCurrentPayments(database: Database, purchases: readonly PurchaseRow[]): Promise<CurrentPayment[]> {
  if (purchases.length === 0) return []
  const ids = purchases.map(({ id }) => id)
  return database
    .selectFrom('payments as m')
    .innerJoin('purchases as p', 'p.id', 'm.purchaseId')
    .select(
      columnsOf(
        'm',
        paymentColumns.filter((column) => column !== 'purchaseId'),
      ),
    )
    .select(['p.id as purchaseId', sql<number>`extract(epoch from now() - m.created_at)::float8`.as('ageSeconds')])
    .where('p.id', 'in', ids)
    .where('m.kind', '=', 'purchase')
    .where(sql<boolean>`(p.status = 'held' and m.status = 'recorded' or p.status = 'settled' and m.signature = p.signature)`)
    .execute()
}

/**
 * Set once, and only if it was read after the payment window had closed for good: an outage that became known in the meantime may have
 * reopened it. It can come down, never rise.
 */
export async function setReleaseHeight(database: Database, { id, leasedAt }: DuePurchase, height: bigint): Promise<void> {
  await database
    .updateTable('purchases')
    .set({ releaseHeight: height })
    .where('id', '=', id)
    .where((or) => or.or([or('releaseHeight', 'is', null), or('releaseHeight', '>', height)]))
    .where(sql<boolean>`pay_until(purchases) <= ${leasedAt}`)
    .execute()
}

/** How many of a wallet's purchases or cases become due when it opens their list; the schedule handles the others. */
const REQUESTED_PURCHASES = 10
const REQUESTED_CASES = 20

/** Makes due now what has ended of a wallet's newest purchases and sales, except what was reconciled within `pauseSeconds`. */
export async function reconcileEndedOf(database: Database, wallet: WalletAddress, pauseSeconds: number): Promise<void> {
  await database
    .updateTable('purchases')
    .set({ reconcileAt: now })
    .where(
      'id',
      'in',
      // Each half by its index, and so without the status.
      sql<string>`(
        (select id from purchases where buyer = ${wallet} order by id desc limit ${REQUESTED_PURCHASES})
        union all
        (select purchase_id from purchase_items where seller = ${wallet} order by purchase_id desc limit ${REQUESTED_PURCHASES})
      )`,
    )
    .where('status', '=', 'ended')
    .where('reconcileAt', '>', now)
    .where((or) =>
      or.or([or('reconciledAt', 'is', null), or('reconciledAt', '<', sql<Date>`now() - make_interval(secs => ${pauseSeconds})`)]),
    )
    .execute()
}

/** Makes a wallet's newest open cases due within `pauseSeconds`, in case the seller's wallet sent a refund itself. */
export async function reconcileOpenCasesOf(database: Database, wallet: WalletAddress, pauseSeconds: number): Promise<void> {
  const soon = inSeconds(pauseSeconds)
  await database
    .updateTable('cases')
    .set({ reconcileAt: soon })
    .where('id', 'in', (query) =>
      query
        .selectFrom('cases as c')
        .leftJoin('purchases as p', 'p.id', 'c.purchaseId')
        .select('c.id')
        .where((or) => or.or([or('p.buyer', '=', wallet), or('c.seller', '=', wallet), or('c.buyer', '=', wallet)]))
        .where('c.status', '=', 'open')
        .orderBy('c.id', 'desc')
        .limit(REQUESTED_CASES),
    )
    .where('status', '=', 'open')
    .where((or) => or.or([or('reconcileAt', 'is', null), or('reconcileAt', '>', soon)]))
    .execute()
}
