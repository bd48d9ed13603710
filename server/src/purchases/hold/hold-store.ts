import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_OPEN_HOLDS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type EndReason } from '@juicebar/contract/schemas'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type Tx, withRetry } from '../../database/transact.ts'
import { inSeconds, now } from '../../database/time.ts'
import { type PurchaseRow } from '../purchase-store.ts'
import { type HoldOrder, type HoldRefusal } from './hold.ts'

/** What a buyer has to know of an open hold. */
export interface HeldPurchase extends Pick<PurchaseRow, 'id' | 'listingId' | 'seller' | 'priceLamports' | 'reference' | 'payBefore'> {
  payMillisLeft: number
}

/** Either a refusal, or a hold, or neither. */
export interface HoldOutcome {
  refusal: HoldRefusal | undefined
  hold: HeldPurchase | undefined
}

/**
 * Decides about a hold without the chain, in one statement: `check_hold` in 0006-holds.sql. It returns a hold only to a buyer who has it
 * already, and neither if the hold may be placed.
 */
export async function checkHold(database: Database, { buyer, listingId, sendsThrough }: HoldOrder): Promise<HoldOutcome> {
  return runHold(database, CHECK, [buyer, listingId, sendsThrough === 'wallet', MAX_OPEN_HOLDS])
}

export interface NewHold {
  reference: WalletAddress
  genesisHash: string
  heldAtSlot: bigint
  /** The lamports that the wallet has for prices and fees. */
  spendable: bigint
  holdSeconds: number
}

/** Decides again and holds the listing, in one statement and one transaction: `place_hold` in 0006-holds.sql. */
export async function insertHold(database: Database, order: HoldOrder, hold: NewHold): Promise<HoldOutcome> {
  const { buyer, listingId, sendsThrough } = order
  const { reference, genesisHash, heldAtSlot, spendable, holdSeconds } = hold
  const asked = [buyer, listingId, sendsThrough === 'wallet', MAX_OPEN_HOLDS]
  return runHold(database, PLACE, [...asked, reference, genesisHash, heldAtSlot, spendable, SIGNATURE_FEE_LAMPORTS, holdSeconds])
}

const OUTCOME = `
  r.refusal, r.retry_seconds, r.allowed, (r.purchase).id, (r.purchase).listing_id, (r.purchase).seller, (r.purchase).price_lamports,
  (r.purchase).reference, (r.purchase).pay_before, pay_millis_left(r.purchase)`
const CHECK = `select ${OUTCOME} from check_hold($1, $2, $3, $4) r`
const PLACE = `select ${OUTCOME} from place_hold($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) r`

type OutcomeRow = { [Column in keyof HeldPurchase]: HeldPurchase[Column] | null } & {
  refusal: HoldRefusal['code'] | null
  retrySeconds: number | null
  allowed: number | null
}

async function runHold(database: Database, statement: string, parameters: readonly unknown[]): Promise<HoldOutcome> {
  const [row] = await withRetry(() => database.runStatement<OutcomeRow>(statement, parameters))
  if (!row) throw new Error('the database decided nothing about a hold')
  const { refusal: code, retrySeconds, allowed, ...purchase } = row
  return {
    refusal: code ? { code, retrySeconds: retrySeconds ?? undefined, allowed: allowed ?? undefined } : undefined,
    hold: code === null && isHeld(purchase) ? purchase : undefined,
  }
}

/** Without a hold, each of its columns is null. */
function isHeld(purchase: { [Column in keyof HeldPurchase]: HeldPurchase[Column] | null }): purchase is HeldPurchase {
  return purchase.id !== null
}

/** Closes the payment window; the hold itself ends once no payment can land any more. */
export async function requestCancel(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('purchases')
    .set({ cancelRequested: true, payBefore: sql<Date>`least(pay_before, now())`, reconcileAt: now })
    .where('id', '=', id)
    .execute()
}

/** Records since when only the studio can end the hold, or that the chain may do so again. */
export async function setUnprovable(tx: Tx, id: string, { unprovable }: { unprovable: boolean }): Promise<void> {
  await tx
    .updateTable('purchases')
    .set({ unprovableAt: unprovable ? now : null })
    .where('id', '=', id)
    .execute()
}

/** Records why the studio released the hold. */
export async function setReleaseReason(tx: Tx, id: string, releaseReason: string): Promise<void> {
  await tx.updateTable('purchases').set({ releaseReason }).where('id', '=', id).execute()
}

/**
 * Ends a hold whose listing and purchase are locked, and frees the listing: `end_hold` in 0006-holds.sql. `searchSeconds`: when to
 * search for a late payment first; null for never.
 */
export async function recordEnd(tx: Tx, id: string, reason: EndReason, searchSeconds: number | null): Promise<void> {
  const searchAt = searchSeconds === null ? null : inSeconds(searchSeconds)
  await sql`select end_hold(p, ${reason}, ${searchAt}) from purchases p where id = ${id}`.execute(tx)
}
