import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_OPEN_HOLDS, MAX_OPEN_ITEMS, MAX_SELLERS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type EndReason } from '@juicebar/contract/schemas'
import { sql } from 'kysely'

import { type Nullable } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { type Tx, withRetry } from '../../database/transact.ts'
import { inSeconds, now } from '../../database/time.ts'
import { type Restriction } from '../../restrictions/restriction.ts'
import { type FeeTerms } from '../fee.ts'
import { type PurchaseRow } from '../purchase-store.ts'
import { type HoldOrder, type HoldRefusal } from './hold.ts'

/** What a buyer needs to know about an open hold. */
export interface HeldPurchase extends Pick<
  PurchaseRow,
  'id' | 'items' | 'priceLamports' | 'feeBasisPoints' | 'feeLamports' | 'feeWallet' | 'reference' | 'payBefore'
> {
  payMillisLeft: number
}

/** Either a refusal or a hold. */
export type HoldOutcome = { kind: 'refused'; refusal: HoldRefusal } | { kind: 'held'; hold: HeldPurchase }

/** What an order would cost now, if it is not refused. */
export interface HoldTerms {
  kind: 'open'
  feeLamports: bigint
  /** What each seller would receive. */
  received: { seller: WalletAddress; lamports: bigint }[]
}

/**
 * Decides about a hold without the chain, in one statement: `check_hold` in functions/holds.sql. It returns a hold only to a buyer who
 * already has it, and the terms if the hold may be placed.
 */
export async function checkHold(database: Database, order: HoldOrder, fee: FeeTerms): Promise<HoldOutcome | HoldTerms> {
  const row = await runHold<CheckColumns>(database, CHECK, orderParameters(order, fee))
  const { refusal, fee: feeLamports, sellers, received } = row
  if (refusal !== null || feeLamports === null || sellers === null || received === null) return outcomeOf(row)
  return { kind: 'open', feeLamports, received: sellers.map((seller, index) => ({ seller, lamports: BigInt(received[index] ?? 0) })) }
}

export interface NewHold {
  reference: WalletAddress
  genesisHash: string
  heldAtSlot: bigint
  /** The lamports that the wallet can spend on prices and fees. */
  spendable: bigint
  holdSeconds: number
  rentExemptMinimum: bigint
  /** The balances of sellers who would receive less than that, in lamports. */
  balances: readonly { wallet: WalletAddress; lamports: bigint }[]
}

/**
 * Decides again and holds all items, in one statement and one transaction: `place_hold` in functions/holds.sql, or `place_link_hold` in
 * functions/pay-links.sql.
 */
export async function insertHold(database: Database, order: HoldOrder, fee: FeeTerms, hold: NewHold): Promise<HoldOutcome> {
  const { reference, genesisHash, heldAtSlot, spendable, holdSeconds, rentExemptMinimum, balances } = hold
  const { payLink } = order
  const row = await runHold<OutcomeColumns>(database, payLink === undefined ? PLACE : PLACE_BY_LINK, [
    ...orderParameters(order, fee),
    reference,
    genesisHash,
    heldAtSlot,
    spendable,
    SIGNATURE_FEE_LAMPORTS,
    holdSeconds,
    rentExemptMinimum,
    balances.map(({ wallet }) => wallet),
    balances.map(({ lamports }) => lamports),
    ...(payLink === undefined ? [] : [payLink]),
  ])
  return outcomeOf(row)
}

/** The database's highest number, which no price reaches. */
const HIGHEST = 2n ** 63n - 1n

function orderParameters({ buyer, items, mostLamports, paysTransfers, sendsThrough }: HoldOrder, { basisPoints, wallet }: FeeTerms) {
  const [ids, amounts] = [items.map(({ listingId }) => listingId), items.map(({ amount }) => amount ?? null)]
  const limits = [MAX_OPEN_HOLDS, MAX_OPEN_ITEMS, MAX_SELLERS]
  const most = mostLamports === undefined ? null : mostLamports < HIGHEST ? mostLamports : HIGHEST
  return [buyer, ids, amounts, most, paysTransfers, sendsThrough === 'wallet', ...limits, basisPoints, wallet ?? null]
}

const OUTCOME = `
  r.refusal, r.refused, r.restriction, r.retry_seconds, r.allowed, (r.purchase).id, r.items, (r.purchase).price_lamports,
  (r.purchase).fee_basis_points, (r.purchase).fee_lamports, (r.purchase).fee_wallet, (r.purchase).reference, (r.purchase).pay_before,
  pay_millis_left(r.purchase)`
const CHECK = `select ${OUTCOME}, r.fee, r.sellers, r.received from check_hold(${placeholders(11)}) r`
const PLACE = `select ${OUTCOME}, r.needed_amount from place_hold(${placeholders(20)}) r`
const PLACE_BY_LINK = `select ${OUTCOME}, r.needed_amount from place_link_hold(${placeholders(21)}) r`

function placeholders(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')
}

interface OutcomeColumns extends Nullable<HeldPurchase> {
  refusal: HoldRefusal['code'] | null
  refused: string | null
  restriction: Restriction | null
  retrySeconds: number | null
  allowed: number | null
  /** Of `place_hold` alone. */
  neededAmount?: bigint | null
}

interface CheckColumns extends OutcomeColumns {
  fee: bigint | null
  sellers: WalletAddress[] | null
  /** The driver reads arrays of 64-bit integers as text. */
  received: string[] | null
}

async function runHold<Row extends OutcomeColumns>(database: Database, statement: string, parameters: readonly unknown[]): Promise<Row> {
  const [row] = await withRetry(() => database.runStatement<Row>(statement, parameters))
  if (!row) throw new Error('the database decided nothing about a hold')
  return row
}

function outcomeOf(row: OutcomeColumns): HoldOutcome {
  const { refusal: code, refused, restriction, retrySeconds, allowed, neededAmount, ...purchase } = row
  if (code !== null) {
    const refusal = { code, listingId: refused ?? undefined, retrySeconds: retrySeconds ?? undefined, allowed: allowed ?? undefined }
    return {
      kind: 'refused',
      refusal: { ...refusal, restriction: restriction ?? undefined, neededAmount: neededAmount ? Number(neededAmount) : undefined },
    }
  }
  if (!isHeld(purchase)) throw new Error('the database neither placed nor refused a hold')
  return { kind: 'held', hold: purchase }
}

/** Without a hold, each of its columns is null. */
function isHeld(purchase: Nullable<HeldPurchase>): purchase is HeldPurchase {
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

/** Records that from now on only the studio can end the hold, or that the chain can do so again. */
export async function setUnprovable(tx: Tx, id: string, { unprovable }: { unprovable: boolean }): Promise<void> {
  await tx
    .updateTable('purchases')
    .set({ unprovableAt: unprovable ? now : null })
    .where('id', '=', id)
    .execute()
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
 * Ends a hold whose listings and purchase are locked, and frees the listings: `end_hold` in functions/holds.sql.
 * `searchSeconds`: when to first search for a late payment; null for never.
 */
export async function recordEnd(tx: Tx, id: string, reason: EndReason, searchSeconds: number | null): Promise<void> {
  const searchAt = searchSeconds === null ? null : inSeconds(searchSeconds)
  await sql`select end_hold(p, ${reason}, ${searchAt}) from purchases p where id = ${id}`.execute(tx)
}
