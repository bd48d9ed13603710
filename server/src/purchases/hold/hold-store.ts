import { type WalletAddress } from '@juicebar/contract/addresses'
import { type EndReason } from '@juicebar/contract/schemas'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { inSeconds, now } from '../../database/time.ts'
import { type PurchaseRow } from '../purchase-store.ts'

export interface NewHold {
  listingId: string
  buyer: WalletAddress
  seller: WalletAddress
  tokenType: PurchaseRow['tokenType']
  amount: bigint
  priceLamports: PurchaseRow['priceLamports']
  reference: WalletAddress
  genesisHash: string
  heldAtSlot: bigint
  serverSends: boolean
}

export async function insertHold(tx: Tx, hold: NewHold, holdSeconds: number): Promise<PurchaseRow> {
  const payBefore = sql<Date>`now() + make_interval(secs => ${holdSeconds})`
  // A wallet that sends by itself may pay at once; bytes that only the server sends are submitted to it.
  const reconcileAt = hold.serverSends ? payBefore : now
  return tx
    .insertInto('purchases')
    .values({ ...hold, payBefore, reconcileAt })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A buyer's open hold on a listing. */
export async function findOpenHold(tx: Tx, listingId: string, buyer: WalletAddress): Promise<PurchaseRow | undefined> {
  return tx
    .selectFrom('purchases')
    .selectAll()
    .where('listingId', '=', listingId)
    .where('buyer', '=', buyer)
    .where('status', '=', 'held')
    .executeTakeFirst()
}

/** A buyer's open holds on other listings. */
export async function listOtherHolds(database: Database | Tx, buyer: WalletAddress, listingId: string) {
  return database
    .selectFrom('purchases')
    .select(['seller', 'priceLamports'])
    .where('buyer', '=', buyer)
    .where('listingId', '<>', listingId)
    .where('status', '=', 'held')
    .execute()
}

/** Locks the player's row, so that the holds of one wallet are counted one at a time. */
export async function lockPlayer(tx: Tx, wallet: WalletAddress): Promise<void> {
  await tx.selectFrom('players').select('walletAddress').where('walletAddress', '=', wallet).forUpdate().execute()
}

export interface UnpaidHistory {
  /** Seconds since this wallet last left this listing unpaid; null if it did not in the last 24 hours. */
  secondsSinceUnpaid: number | null
  /** Holds that this wallet let lapse in the last 24 hours, on any listing. */
  lapses: number
}

export async function readUnpaidHistory(database: Database | Tx, buyer: WalletAddress, listingId: string): Promise<UnpaidHistory> {
  return database
    .selectFrom('purchases')
    .select([
      sql<number | null>`(extract(epoch from now() - max(ended_at) filter (where listing_id = ${listingId})))::float8`.as(
        'secondsSinceUnpaid',
      ),
      sql<number>`(count(*) filter (where end_reason = 'lapsed'))::int`.as('lapses'),
    ])
    .where('buyer', '=', buyer)
    .where('endReason', 'in', ['lapsed', 'cancelled'])
    .where('endedAt', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirstOrThrow()
}

/** From now on the buyer's own wallet may send the payment, so only the chain can prove that none came. */
export async function allowWalletToSend(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('purchases').set({ serverSends: false, reconcileAt: now }).where('id', '=', id).execute()
}

/** Closes the payment window; the hold itself ends once no payment can land any more. */
export async function requestCancel(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('purchases')
    .set({ cancelRequested: true, payBefore: sql<Date>`least(pay_before, now())`, reconcileAt: now })
    .where('id', '=', id)
    .execute()
}

/** `reconcileSeconds`: when to search for a late payment first; null for never. */
export async function markEnded(tx: Tx, id: string, reason: EndReason, reconcileSeconds: number | null): Promise<void> {
  const reconcileAt = reconcileSeconds === null ? null : inSeconds(reconcileSeconds)
  await tx
    .updateTable('purchases')
    .set({ status: 'ended', endReason: reason, endedAt: now, reconciliations: 0, reconcileAt })
    .where('id', '=', id)
    .execute()
}
