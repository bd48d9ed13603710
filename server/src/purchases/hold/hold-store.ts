import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_OPEN_HOLDS } from '@juicebar/contract/limits'
import { type EndReason } from '@juicebar/contract/schemas'
import { type RawBuilder, sql } from 'kysely'

import { type Tx } from '../../database/transact.ts'
import { inSeconds, now } from '../../database/time.ts'
import { type FeeTerms } from '../fee.ts'
import { type PurchaseRow } from '../purchase-store.ts'
import { type Refusal } from '../reservation/refusal.ts'
import { type PlannedItem, type ReservationPlan } from '../reservation/reservation.ts'

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
  const { rows } = await sql<{ refusal: Refusal['code'] | null; retrySeconds: number | null }>`
    select refusal, retry_seconds from lock_link(${id}, ${account}, ${MAX_OPEN_HOLDS})`.execute(tx)
  const [row] = rows
  return row && row.refusal !== null ? { code: row.refusal, retrySeconds: row.retrySeconds ?? undefined } : undefined
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

/** Records that the buyer of a co-signed purchase has too little SOL for it. */
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
