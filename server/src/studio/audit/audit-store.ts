import { type Selectable, sql } from 'kysely'
import { columnsSql, inSeconds, now } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { type Audits, type Purchases } from '../../database/schema.ts'
import { type Tx } from '../../database/transact.ts'
import { type PurchaseItem } from '../../purchases/purchase/purchase.ts'
import { type AuditRow, type AuditStep, type AuditSummaryRow } from './audit.ts'

/** Longer than any transaction that makes a purchase final may take: no older one can still appear (`database/connect.ts`). */
const SETTLING_MINUTES = 5

const summaryColumns = [
  'id',
  'isFull',
  'createdAt',
  'startedBy',
  'finishedAt',
  'total',
  'checked',
  'violationCount',
  'uncheckedCount',
] as const satisfies (keyof Audits)[]

const columns = [
  ...summaryColumns,
  'verifiedBefore',
  'failures',
  'part',
  'verified',
  'earlierChain',
  'isClean',
  'tokens',
  'purchases',
  'violations',
  'unchecked',
] as const satisfies (keyof Audits)[]

/** The watermark of the audit that finished last, or the beginning for a full audit. */
const start = (full: boolean) => sql`
  select coalesce(max(w.at), '-infinity') as at, coalesce(max(w.id::text), '00000000-0000-0000-0000-000000000000')::uuid as id
  from (
    select least(clean_at, created_at - make_interval(mins => ${SETTLING_MINUTES})) as at,
      case when clean_at <= created_at - make_interval(mins => ${SETTLING_MINUTES})
        then clean_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end as id
    from audits where finished_at is not null and not ${full}::boolean order by finished_at desc limit 1
  ) w`

/** How many settled purchases an audit checks, and how many it can skip. */
const counts = sql`
  select count(*) filter (where p.finalized_at is null or (p.finalized_at, p.id) > (s.at, s.id))::integer as total,
    count(*) filter (where (p.finalized_at, p.id) <= (s.at, s.id))::integer as before
  from purchases p where p.status = 'settled'`

/** Starts an audit if none is running. @returns its id if it did */
export async function insertAudit(tx: Tx, { full, startedBy }: { full: boolean; startedBy: string | null }): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into audits (is_full, started_by, starts_at, starts_id, clean_at, clean_id, total, verified_before)
    select ${full}, ${startedBy}, s.at, s.id, s.at, s.id, c.total, c.before
    from (${start(full)}) s cross join lateral (${counts}) c
    on conflict ((true)) where finished_at is null do nothing returning id`.execute(tx)
  return rows[0]?.id
}

/**
 * Makes the running audit read everything from the beginning, unless it already does. The server working on it loses its lease.
 * @returns its id if it did not
 */
export async function makeRunningAuditFull(tx: Tx): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    update audits a set is_full = true, starts_at = default, starts_id = default, clean_at = default, clean_id = default, is_clean = default,
      part = default, cursor_at = default, cursor_id = default, lease_id = null, lease_until = now(), failures = 0,
      total = (select count(*) from purchases where status = 'settled'), verified_before = 0, checked = 0, verified = 0, earlier_chain = 0,
      violations = '[]', violation_count = 0, unchecked = '[]', unchecked_count = 0
    where finished_at is null and not is_full returning id`.execute(tx)
  return rows[0]?.id
}

/** The audit that is running. */
export async function findRunningAudit(database: Database): Promise<AuditRow | undefined> {
  return asAudit(await database.selectFrom('audits').select(columns).where('finishedAt', 'is', null).executeTakeFirst())
}

export async function findAudit(database: Database, id: string): Promise<AuditRow | undefined> {
  return asAudit(await database.selectFrom('audits').select(columns).where('id', '=', id).executeTakeFirst())
}

/** The newest audits, or those before `before` if given. */
export async function listAudits(
  database: Database,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<AuditSummaryRow[]> {
  return database
    .selectFrom('audits')
    .select(summaryColumns)
    .$if(before !== undefined, (query) => query.where('id', '<', before as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Leases the running audit for `seconds`, unless another server works on it. `leaseId` is new for each lease. */
export async function leaseAudit(database: Database, leaseId: string, seconds: number): Promise<AuditRow | undefined> {
  const leased = await database
    .updateTable('audits')
    .set({ leaseId, leaseUntil: inSeconds(seconds) })
    .where('finishedAt', 'is', null)
    .where('leaseUntil', '<=', now)
    .returning(columns)
    .executeTakeFirst()
  return asAudit(leased)
}

/** Records how far an audit has come. @returns undefined if the lease is lost, in which case nothing is recorded */
export async function saveAudit(database: Database, leaseId: string, step: AuditStep): Promise<AuditRow | undefined> {
  const { state, cursor, cleanId, done } = step
  const { part, checked, verified, earlierChain, isClean, violationCount, uncheckedCount, tokens, purchases, violations, unchecked } = state
  const saved = await database
    .updateTable('audits')
    .set({ part, checked, verified, earlierChain, isClean, violationCount, uncheckedCount, failures: 0 })
    .set({ tokens: asJson(tokens), purchases: asJson(purchases), violations: asJson(violations), unchecked: asJson(unchecked) })
    .set(cursor === 'start of the part' ? startOf(part) : { cursorAt: finalizedAt(cursor.after), cursorId: cursor.after })
    .$if(cleanId !== undefined, (query) => query.set({ cleanAt: finalizedAt(cleanId ?? ''), cleanId: cleanId ?? '' }))
    .$if(done, (query) => query.set({ finishedAt: now }))
    .where('leaseId', '=', leaseId)
    .where('leaseUntil', '>', now)
    .where('finishedAt', 'is', null)
    .returning(columns)
    .executeTakeFirst()
  return asAudit(saved)
}

const finalizedAt = (purchaseId: string) =>
  sql<Date>`coalesce((select finalized_at from purchases where id = ${purchaseId}::uuid), '-infinity')`

function startOf(part: AuditRow['part']) {
  return part === 'finalized' ? { cursorAt: sql<Date>`starts_at`, cursorId: sql<string>`starts_id` } : {}
}

/** A settled purchase whose payment is to be checked. */
export interface SettledPurchase extends Pick<Selectable<Purchases>, (typeof settledColumns)[number]> {
  items: PurchaseItem[]
  /** It is known that the chain has dropped its payment: there is a case for it. */
  vanished: boolean
}

const settledColumns = [
  'id',
  'signature',
  'genesisHash',
  'buyer',
  'sellers',
  'priceLamports',
  'feeLamports',
  'feeWallet',
  'reference',
  'heldAtSlot',
] as const satisfies (keyof Purchases)[]

/** The two parts of an audit, each in an order in which nothing is missed. What is settled later belongs to the next audit. */
const pages = {
  unfinalized: sql`p.finalized_at is null and p.id > a.cursor_id order by p.id`,
  finalized: sql`(p.finalized_at, p.id) > (a.cursor_at, a.cursor_id) order by p.finalized_at, p.id`,
}

/** The next `limit` settled purchases that an audit has to check. */
export async function readAuditPage(
  database: Database,
  { id, part }: { id: string; part: keyof typeof pages },
  limit: number,
): Promise<SettledPurchase[]> {
  const { rows } = await sql<SettledPurchase>`
    select ${sql.raw(columnsSql('page', settledColumns))}, items_of(page.id) as items,
      exists (select from cases c where c.purchase_id = page.id and c.kind = 'vanished') as vanished from audits a cross join lateral (
      select ${sql.raw(columnsSql('p', settledColumns))}
      from purchases p where p.status = 'settled' and p.settled_at <= a.created_at and ${pages[part]} limit ${limit}
    ) page where a.id = ${id}`.execute(database)
  return rows
}

function asAudit(row: Pick<Selectable<Audits>, (typeof columns)[number]> | undefined): AuditRow | undefined {
  // The JSON columns hold what `saveAudit` has written.
  return row as AuditRow | undefined
}

function asJson(value: unknown) {
  return sql`${JSON.stringify(value)}::json`
}

/** Tables of jobs that any server can continue: at most one is running in each, under a lease. */
type JobTable = 'audits' | 'recoveries'

/** Extends a lease, or returns it if `seconds` is 0. @returns false if it is lost */
export async function renewLease(database: Database, table: JobTable, leaseId: string, seconds: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable(table)
    .set({ leaseUntil: inSeconds(seconds) })
    .where('leaseId', '=', leaseId)
    .where('finishedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Counts a failure of the server that holds the lease, not of the chain. */
export async function countFailure(database: Database, table: JobTable, leaseId: string): Promise<void> {
  await database
    .updateTable(table)
    .set({ failures: sql<number>`failures + 1` })
    .where('leaseId', '=', leaseId)
    .execute()
}
