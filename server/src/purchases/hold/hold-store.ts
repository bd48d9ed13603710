import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_OPEN_HOLDS } from '@juicebar/contract/limits'
import { type EndReason } from '@juicebar/contract/schemas'
import { type RawBuilder, sql } from 'kysely'
import { type Tx, inTransaction } from '../../database/transact.ts'
import { inSeconds, now } from '../../database/columns.ts'
import { type FeeTerms } from '../purchase/purchase.ts'
import { type PurchaseRow, lockPurchase } from '../purchase/purchase-store.ts'
import { type Refusal, type RefusalColumns, refusalOf } from '../reservation/order.ts'
import { type PlannedItem, type ReservationPlan } from '../reservation/reservation.ts'
import { type Database } from '../../database/connect.ts'

/** What a buyer needs to know about an open hold. */
export interface HeldPurchase extends Pick<
  PurchaseRow,
  'id' | 'items' | 'priceLamports' | 'feeBasisPoints' | 'feeLamports' | 'feeWallet' | 'reference' | 'payBefore'
> {
  payMillisLeft: number
}

/** What is held, besides what was decided. */
export interface NewHold {
  buyer: WalletAddress
  fee: FeeTerms
  reference: WalletAddress
  genesisHash: string
  heldAtSlot: bigint
  holdSeconds: number
  /** A keyed hash of where the order comes from. */
  network: Buffer | undefined
  /** Only a payment that carries the reference counts. */
  needsReference: boolean
}

/** Holds what was decided, under its locks: `write_hold` in functions/reservations.sql. */
export async function insertHold(
  tx: Tx,
  { items, lamports, feeLamports, received }: ReservationPlan,
  hold: NewHold,
): Promise<HeldPurchase> {
  const column = <T>(valueOf: (item: PlannedItem) => T) => items.map(valueOf)
  return readHeld(
    tx,
    sql`write_hold(
      ${hold.buyer}, ${[...received.keys()]}, ${lamports}, ${hold.fee.basisPoints}, ${feeLamports}, ${hold.fee.wallet ?? null},
      ${hold.reference}, ${hold.needsReference}, ${hold.genesisHash}, ${hold.heldAtSlot}, ${hold.holdSeconds}, ${hold.network ?? null},
      ${column(({ listingId }) => listingId)}::uuid[], ${column(({ amount }) => amount)}::bigint[],
      ${column((item) => item.lamports)}::bigint[]
    )`,
  )
}

/** The open hold of a buyer who places the same order again, under its locks: `keep_hold` in functions/reservations.sql. */
export async function keepHold(tx: Tx, id: string): Promise<HeldPurchase> {
  return readHeld(tx, sql`keep_hold(${id})`)
}

async function readHeld(tx: Tx, written: RawBuilder<unknown>): Promise<HeldPurchase> {
  const { rows } = await sql<HeldPurchase>`
    select (w.purchase).id, w.items, (w.purchase).price_lamports, (w.purchase).fee_basis_points, (w.purchase).fee_lamports,
      (w.purchase).fee_wallet, (w.purchase).reference, (w.purchase).pay_before, pay_millis_left(w.purchase)
    from ${written} w`.execute(tx)
  if (!rows[0]) throw new Error('the database did not keep a hold')
  return rows[0]
}

/** Locks a payment link and all that it counts against, before an account holds through it: `lock_link` in functions/pay-links.sql. */
export async function lockPayLink(tx: Tx, id: string, account: WalletAddress): Promise<Refusal | undefined> {
  const { rows } = await sql<RefusalColumns>`
    select refusal, retry_seconds from lock_link(${id}, ${account}, ${MAX_OPEN_HOLDS})`.execute(tx)
  return rows[0] && refusalOf(rows[0])
}

/** Records that a payment link has placed a hold. */
export async function notePayLinkHold(tx: Tx, id: string, account: WalletAddress, purchaseId: string): Promise<void> {
  await sql`select note_link_hold(${id}, ${account}, ${purchaseId})`.execute(tx)
}

/** Closes the payment window; the hold itself ends once no payment can land any more. */
export async function requestCancel(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('purchases')
    .set({ cancelRequested: true, payBefore: sql<Date>`least(pay_before, now())`, reconcileAt: now })
    .where('id', '=', id)
    .execute()
}

/** Records that from now on only the studio can end the hold, or that the chain can do so again. */
export async function setUnprovable(tx: Tx, id: string, { unprovable }: { unprovable: boolean }): Promise<void> {
  await tx
    .updateTable('purchases')
    .set({ unprovableAt: unprovable ? now : null })
    .where('id', '=', id)
    .execute()
}

/** Records that the buyer of a co-signed purchase has, or had when it was overdue, too little SOL for it. */
export async function markUnfunded(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('purchases').set({ unfunded: true }).where('id', '=', id).execute()
}

/** Locks the listings of a purchase, and any listings that may be split from them or merged into them, until the transaction ends. */
export async function lockListings(tx: Tx, purchaseId: string): Promise<void> {
  await sql`select lock_listings_of(${purchaseId})`.execute(tx)
}

/** Records why the studio released the hold. */
export async function setReleaseReason(tx: Tx, id: string, releaseReason: string): Promise<void> {
  await tx.updateTable('purchases').set({ releaseReason }).where('id', '=', id).execute()
}

/**
 * Ends a hold whose listings and purchase are locked, and frees the listings: `end_hold` in functions/reservations.sql.
 * `searchSeconds`: when to first search for a late payment; null for never.
 */
export async function recordEnd(tx: Tx, id: string, reason: EndReason, searchSeconds: number | null): Promise<void> {
  const searchAt = searchSeconds === null ? null : inSeconds(searchSeconds)
  await sql`select end_hold(p, ${reason}, ${searchAt}) from purchases p where id = ${id}`.execute(tx)
}

/** A buyer who has just held needs a moment to pay, and an endpoint one to show it. */
const READ_SECONDS = 10
/** Two readings that are further apart say nothing together. */
const TOGETHER_SECONDS = 60
const CLAIMED_TOGETHER = 200

/** An open hold for which no signed payment is recorded. */
export interface UnpaidHold {
  id: string
  buyer: WalletAddress
  reference: WalletAddress
  /** With the fee. */
  lamports: bigint
  /** The last reading, less than a minute ago, showed too little SOL. */
  wasShort: boolean
}

const unpaid = sql`
  status = 'held' and reconcile_at is not null and not co_signed and pay_before > now()
    and not exists (select from payments m where m.purchase_id = p.id and m.kind = 'purchase' and m.status = 'recorded')`

/** Claims the holds whose buyers' balances are due to be read; another server does not get them at the same time. */
export async function claimUnpaidHolds(database: Database): Promise<Pick<UnpaidHold, 'id' | 'buyer'>[]> {
  const { rows } = await sql<Pick<UnpaidHold, 'id' | 'buyer'>>`
    update purchases set funds_read_at = now() where id = any(array(
      select id from purchases p
      where ${unpaid} and coalesce(funds_read_at, created_at) < now() - make_interval(secs => ${READ_SECONDS})
      order by reconcile_at limit ${CLAIMED_TOGETHER} for update skip locked
    )) returning id, buyer`.execute(database)
  return rows
}

/** All unpaid holds of these buyers, the oldest first. */
export async function readUnpaidHolds(database: Database, buyers: readonly WalletAddress[]): Promise<UnpaidHold[]> {
  const { rows } = await sql<UnpaidHold>`
    select id, buyer, reference, price_lamports + fee_lamports as lamports,
      coalesce(short_at > now() - make_interval(secs => ${TOGETHER_SECONDS}), false) as was_short
    from purchases p where buyer = any(${buyers}) and ${unpaid} order by created_at, id`.execute(database)
  return rows
}

/** Records for which holds a reading of the buyers' balances showed too little SOL, and for which it showed enough. */
export async function noteFunds(database: Database, { short, covered }: { short: string[]; covered: string[] }): Promise<void> {
  await sql`
    update purchases set short_at = case when id = any(${short}) then now() end
    where id = any(${short}) or (id = any(${covered}) and short_at is not null)`.execute(database)
}

/** Closes the payment window of a hold that its buyer has too little SOL for, and tells its buyer. */
export async function closeShortHold(database: Database, id: string): Promise<void> {
  await inTransaction(database, async (tx) => {
    await lockPurchase(tx, id)
    const { rows } = await sql`
      update purchases p set unfunded = true, pay_before = now(), reconcile_at = now() where id = ${id} and ${unpaid} returning id`.execute(
      tx,
    )
    if (rows.length > 0) await sql`select emit_purchase(p) from purchases p where id = ${id}`.execute(tx)
  })
}

/** The number of holds extended in one transaction. */
const EXTENDED_TOGETHER = 100

/** Records that database and chain can be reached, and the outage that this ends, if there was one: `beat` in functions/outages.sql. */
export async function beat(database: Database): Promise<void> {
  await sql`select beat()`.execute(database)
}

/**
 * Extends the open holds whose time to pay was interrupted by an outage: `extend_holds` in functions/outages.sql.
 * @returns whether there may be more
 */
export async function extendHolds(database: Database): Promise<boolean> {
  const { rows } = await sql<{ extended: number }>`select extend_holds(${EXTENDED_TOGETHER}) as extended`.execute(database)
  return rows[0]?.extended === EXTENDED_TOGETHER
}
