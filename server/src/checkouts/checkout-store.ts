import { type CheckoutStatus } from '@juicebar/contract/schemas'
import { type RawBuilder, sql } from 'kysely'
import { type Database } from '../database/connect.ts'
import { type Tx } from '../database/transact.ts'
import { type AttemptRow, type CheckoutDraft, type CheckoutRow } from './checkout.ts'

/** A new checkout, besides what was asked for. */
interface NewCheckout {
  publicId: string
  /** Whose key or wallet makes it. */
  actor: string
  /** Of the keys that share idempotency keys. */
  namespace: string
  idempotencyKey: string
}

/** @returns its identifier; undefined if the idempotency key is used */
export async function insertCheckout(database: Database, draft: CheckoutDraft, made: NewCheckout): Promise<string | undefined> {
  const { tokenType, amount, maxLamports, wallet, clientReference, returnUrl, expiresInSeconds } = draft
  const { rows } = await sql<{ id: string }>`
    insert into checkouts (public_id, token_type, amount, max_lamports, wallet, client_reference, return_url, expires_at, created_by,
      key_namespace, idempotency_key, request)
    values (${made.publicId}, ${tokenType}, ${amount}, ${maxLamports}, ${wallet}, ${clientReference}, ${returnUrl},
      now() + make_interval(secs => ${expiresInSeconds}), ${made.actor}, ${made.namespace}, ${made.idempotencyKey}, ${JSON.stringify(draft)}::jsonb)
    on conflict (key_namespace, idempotency_key) do nothing returning id`.execute(database)
  return rows[0]?.id
}

/** The checkout that was made with an idempotency key, and whether the same was asked for: it may have been made before a field was added. */
export async function findKeyedCheckout(
  database: Database,
  draft: CheckoutDraft,
  { namespace, idempotencyKey }: Pick<NewCheckout, 'namespace' | 'idempotencyKey'>,
): Promise<{ id: string; isSame: boolean } | undefined> {
  const { rows } = await sql<{ id: string; isSame: boolean }>`
    select id, jsonb_strip_nulls(request) = jsonb_strip_nulls(${JSON.stringify(draft)}::jsonb) as is_same from checkouts
    where key_namespace = ${namespace} and idempotency_key = ${idempotencyKey}`.execute(database)
  return rows[0]
}

export async function findCheckout(database: Database | Tx, by: { id: string } | { publicId: string }): Promise<CheckoutRow | undefined> {
  const found = 'id' in by ? sql`c.id = ${by.id}` : sql`c.public_id = ${by.publicId}`
  return (await selectCheckouts(database, found))[0]
}

/** Checkouts by their identifiers, in any order. */
export async function findCheckouts(tx: Tx, ids: readonly string[]): Promise<CheckoutRow[]> {
  return ids.length === 0 ? [] : selectCheckouts(tx, sql`c.id = any (${ids}::uuid[])`)
}

interface CheckoutsPage {
  status: CheckoutStatus | undefined
  clientReference: string | undefined
  before: string | undefined
  limit: number
}

/** The newest checkouts, those older than `before` if it is given. */
export async function listCheckouts(database: Database, { status, clientReference, before, limit }: CheckoutsPage): Promise<CheckoutRow[]> {
  return selectCheckouts(
    database,
    sql`${status === undefined ? sql`true` : withStatus(status)}
      and ${clientReference === undefined ? sql`true` : sql`c.client_reference = ${clientReference}`}
      and ${before === undefined ? sql`true` : sql`c.id < ${before}`}
      order by c.id desc limit ${limit}`,
  )
}

/** Those that have just expired still stand as open ones. */
function withStatus(status: CheckoutStatus): RawBuilder<unknown> {
  if (status === 'open') return sql`c.status = 'open' and c.expires_at > now()`
  return status === 'expired' ? sql`(c.status = 'expired' or c.status = 'open' and c.expires_at <= now())` : sql`c.status = ${status}`
}

async function selectCheckouts(database: Database | Tx, which: RawBuilder<unknown>): Promise<CheckoutRow[]> {
  const { rows } = await sql<CheckoutRow>`
    select c.id, c.public_id, checkout_status(c) as status, c.token_type, c.amount, c.max_lamports, c.wallet, c.client_reference, c.return_url,
      c.expires_at, greatest(0, floor(extract(epoch from c.expires_at - now()) * 1000))::float8 as millis_left, c.opened_at, c.created_at,
      p.id as purchase_id, p.buyer, p.price_lamports + p.fee_lamports as lamports, coalesce(p.signature, (
        select signature from payments m where m.purchase_id = p.id and m.kind = 'purchase' and m.status = 'recorded'
      )) as signature
    from checkouts c left join purchases p on p.id = c.purchase_id where ${which}`.execute(database)
  return rows
}

/** Records that the page of a checkout was opened, the first time. */
export async function markOpened(database: Database, id: string): Promise<void> {
  await sql`update checkouts set opened_at = now() where id = ${id} and opened_at is null`.execute(database)
}

/** Locks a checkout until the transaction ends. @returns its status now; undefined if there is none */
export async function lockCheckout(tx: Tx, id: string): Promise<CheckoutStatus | undefined> {
  const { rows } = await sql<{ status: CheckoutStatus }>`
    select checkout_status(c) as status from checkouts c where id = ${id} for update`.execute(tx)
  return rows[0]?.status
}

/** Ends a checkout that nobody pays for. Once it has expired, this changes nothing. */
export async function markExpired(tx: Tx, id: string): Promise<void> {
  await sql`update checkouts set status = 'expired', expires_at = least(expires_at, now()) where id = ${id} and status = 'open'`.execute(tx)
}

/** Binds a checkout to the purchase that was just reserved or held for it, under its lock: `begin_checkout` in functions/checkouts.sql. */
export async function beginCheckout(tx: Tx, id: string, purchaseId: string): Promise<void> {
  await sql`select begin_checkout(${id}, ${purchaseId})`.execute(tx)
}

/** The newest tries to pay a checkout: purchases, and payments that were refused within the last days. */
export async function listAttempts(database: Database, id: string, limit: number): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select created_at as at, buyer as wallet, id as purchase_id, status as purchase_status, end_reason as reason
      from purchases where checkout_id = ${id}
    union all select refused_at, buyer, null, null, code from refused_payments where checkout_id = ${id}
    order by at desc limit ${limit}`.execute(database)
  return rows
}

/** Ends open checkouts whose time is over. @returns how many */
export async function expireCheckouts(database: Database, limit: number): Promise<number> {
  const { rows } = await sql<{ expired: number }>`select expire_checkouts(${limit}) as expired`.execute(database)
  return rows[0]?.expired ?? 0
}

/** Deletes checkouts that expired long ago and that nobody tried to pay. */
export async function deleteOldCheckouts(database: Database): Promise<void> {
  await sql`
    delete from checkouts c where status = 'expired' and expires_at < now() - interval '90 days'
      and not exists (select from purchases where checkout_id = c.id)`.execute(database)
}
