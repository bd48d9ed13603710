import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { FEE_RESERVE_LAMPORTS, MAX_ITEMS, MAX_OPEN_HOLDS } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'
import { type EndReason } from '@juicebar/contract/schemas'

import { type Catalogue } from '../../catalogue/catalogue.ts'
import { isId } from '../../listings/listing.ts'
import { type Restriction, type RestrictionCode, restrictionDetail } from '../../restrictions/restriction.ts'

export interface OrderedItem {
  listingId: string
  /** How many drinks; undefined for everything that is left. */
  amount?: number | undefined
}

export interface HoldOrder {
  buyer: WalletAddress
  items: readonly OrderedItem[]
  /** server: only this product broadcasts the payment. wallet: the buyer's wallet may do so too. */
  sendsThrough: 'server' | 'wallet'
  /** The client pays all transfers of the purchase. */
  paysTransfers: boolean
  /** The most that the buyer will pay in total, including the fee. */
  mostLamports?: bigint | undefined
  /** The payment link that the buyer's wallet uses: nothing proves that the request comes from the buyer. */
  payLink?: string | undefined
}

/** Why a payment link can hold nothing for an account. */
type PayLinkRefusalCode =
  | 'PAY_LINK_NOT_FOUND'
  | 'PAY_LINK_EXPIRED'
  | 'PAY_LINK_PAID'
  | 'PAY_LINK_HELD'
  | 'PAY_LINK_ELSEWHERE'
  | 'PAY_LINK_LIMIT'

/** Why the database refused a hold. */
export interface HoldRefusal {
  code:
    | RestrictionCode
    | 'LISTING_NOT_FOUND'
    | 'OWN_LISTING'
    | 'LISTING_NOT_ACTIVE'
    | 'LISTING_HELD'
    | 'LISTING_FROZEN'
    | 'HELD_BY_YOU'
    | 'AMOUNT_NOT_LEFT'
    | 'NOT_DIVISIBLE'
    | 'TOO_MANY_SELLERS'
    | 'COOLDOWN'
    | 'TOO_MANY_HOLDS'
    | 'AMBIGUOUS_HOLD'
    | 'TRANSFERS_NEEDED'
    | 'PRICE_MOVED'
    | 'PART_TOO_SMALL'
    | 'INSUFFICIENT_SOL'
    | 'PAYMENT_UNDER_WAY'
    | 'HOLD_ENDED'
    | PayLinkRefusalCode
  /** The listing that the refusal concerns, if any. */
  listingId?: string | undefined
  /** Set for PAUSED, BLOCKED and RULE_BROKEN: the studio's message, reason or rule. */
  restriction?: Restriction | undefined
  /** Set for COOLDOWN and PAY_LINK_LIMIT: when it ends. */
  retrySeconds?: number | undefined
  /** Set for TOO_MANY_HOLDS if there are too many items rather than purchases: how many items the wallet may hold. */
  allowed?: number | undefined
  /** Set for PART_TOO_SMALL if a larger part would be accepted: how many drinks it takes. */
  neededAmount?: number | undefined
}

/** The error that the caller gets for a refusal. */
export function holdFailure(refusal: HoldRefusal, catalogue: Pick<Catalogue, 'nameOf'>): Failure {
  const { code, listingId, restriction, retrySeconds, allowed, neededAmount } = refusal
  const about = listingId === undefined ? {} : { listingId }
  if (restriction !== undefined) return new Failure(code, { ...about, detail: restrictionDetail(restriction, catalogue.nameOf) })
  if ((code === 'COOLDOWN' || code === 'PAY_LINK_LIMIT') && retrySeconds !== undefined) {
    return new Failure(code, { ...about, detail: `${Math.ceil(retrySeconds / 60)} min`, retryAfter: retrySeconds })
  }
  if (code === 'TOO_MANY_HOLDS') return new Failure(code, { detail: holdLimit(allowed) })
  if (code === 'PART_TOO_SMALL') return new Failure(code, { ...about, detail: whatItTakes(neededAmount) })
  return new Failure(code, about)
}

function holdLimit(allowed: number | undefined): string {
  if (allowed === undefined) return `${MAX_OPEN_HOLDS} lots at a time`
  return allowed === 1 ? 'one lot at a time, because you left several unpaid within the last hour' : `${allowed} lots at a time`
}

function whatItTakes(neededAmount: number | undefined): string {
  const why = 'its seller’s account has too little SOL to receive it.'
  return neededAmount === undefined ? `${why} Buy it together with another lot of this seller.` : `${why} Buy at least ${neededAmount}.`
}

/**
 * Checks everything about an order that can be checked without other data.
 * @throws TOO_MANY_ITEMS, LISTING_NOT_FOUND, SAME_LISTING_TWICE
 */
export function requireSound(items: readonly OrderedItem[]): void {
  if (items.length > MAX_ITEMS) throw new Failure('TOO_MANY_ITEMS')
  const seen = new Set<string>()
  for (const { listingId } of items) {
    if (!isId(listingId)) throw new Failure('LISTING_NOT_FOUND', { listingId })
    if (seen.has(listingId.toLowerCase())) throw new Failure('SAME_LISTING_TWICE', { listingId })
    seen.add(listingId.toLowerCase())
  }
}

/**
 * The lamports that a wallet has for prices and transaction fees. The rest is a reserve for priority fees, and the rent-exempt
 * minimum, below which the chain refuses to leave an account. May be negative.
 */
export function spendableLamports(balance: Lamports, rentExemptMinimum: Lamports): bigint {
  return balance - FEE_RESERVE_LAMPORTS - rentExemptMinimum
}

/** The facts that decide how an open hold ends. */
export interface HoldState {
  serverSends: boolean
  cancelRequested: boolean
  windowClosed: boolean
  /** Signed bytes are recorded for the hold. */
  paymentRecorded: boolean
}

/**
 * The reason to end a hold without asking the chain: only this product could have sent its payment, and it never received one.
 * @returns undefined if a payment may be on its way.
 */
export function endsUnsent(hold: HoldState): EndReason | undefined {
  if (!hold.serverSends || hold.paymentRecorded) return undefined
  if (hold.cancelRequested) return 'cancelled'
  return hold.windowClosed ? 'lapsed' : undefined
}

/** The reason to end a hold once the chain has proved that no payment has landed and none can. */
export function endsUnpaid(hold: HoldState): EndReason | undefined {
  if (!hold.windowClosed) return undefined
  if (hold.paymentRecorded) return 'expired'
  return hold.cancelRequested ? 'cancelled' : 'lapsed'
}
