import { Failure } from '@juicebar/contract/errors'
import { MAX_OPEN_HOLDS } from '@juicebar/contract/limits'

import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Restriction, type RestrictionCode, restrictionDetail } from '../../restrictions/restriction.ts'

/** Why a payment link can reserve nothing for an account. */
export type PayLinkRefusalCode =
  | 'PAY_LINK_NOT_FOUND'
  | 'PAY_LINK_EXPIRED'
  | 'PAY_LINK_PAID'
  | 'PAY_LINK_HELD'
  | 'PAY_LINK_ELSEWHERE'
  | 'PAY_LINK_LIMIT'

/** Why nobody, or not this wallet, may buy so much of a listing. */
export type ListingRefusalCode =
  | 'LISTING_NOT_FOUND'
  | 'OWN_LISTING'
  | 'LISTING_NOT_ACTIVE'
  | 'LISTING_HELD'
  | 'LISTING_FROZEN'
  | 'HELD_BY_YOU'
  | 'AMOUNT_NOT_LEFT'
  | 'NOT_DIVISIBLE'

/** Why an order is refused. */
export interface Refusal {
  code:
    | RestrictionCode
    | ListingRefusalCode
    | PayLinkRefusalCode
    | 'TOO_MANY_SELLERS'
    | 'COOLDOWN'
    | 'TOO_MANY_HOLDS'
    | 'AMBIGUOUS_HOLD'
    | 'TRANSFERS_NEEDED'
    | 'PRICE_MOVED'
    | 'PART_TOO_SMALL'
    | 'INSUFFICIENT_SOL'
    | 'BALANCE_LIMIT'
    | 'PAYMENT_UNDER_WAY'
    | 'HOLD_ENDED'
    | 'PAYMENT_REFUSED'
    | 'PAYMENT_EXPIRED'
    | 'REFERENCE_USED'
  /** The listing that the refusal concerns, if any. */
  listingId?: string | undefined
  /** Set for PAUSED, BLOCKED and RULE_BROKEN: the studio's message, reason or rule. */
  restriction?: Restriction | undefined
  /** Set for COOLDOWN and PAY_LINK_LIMIT: when it ends. */
  retrySeconds?: number | undefined
  /** Set for TOO_MANY_HOLDS if there are too many items rather than purchases: how many items the wallet may hold. */
  allowed?: number | undefined
  /** Set for TOO_MANY_HOLDS if the wallet has one purchase under way and has never completed one. */
  isFirst?: boolean | undefined
  /** Set for TOO_MANY_HOLDS if wallets of the same network that never completed a purchase hold too much together. */
  ofNetwork?: boolean | undefined
  /** Set for PAYMENT_REFUSED, and for a refusal that was recorded: what completes the sentence of the code. */
  detail?: string | undefined
  /** Set for PART_TOO_SMALL if a larger part would be accepted: how many drinks it takes. */
  neededAmount?: number | undefined
}

/** The error that the caller gets for a refusal. */
export function refusalFailure(refusal: Refusal, catalogue: Pick<Catalogue, 'nameOf'>): Failure {
  const { code, listingId, restriction, retrySeconds, detail, neededAmount } = refusal
  const about = listingId === undefined ? {} : { listingId }
  if (detail !== undefined) return new Failure(code, { ...about, detail })
  if (restriction !== undefined) return new Failure(code, { ...about, detail: restrictionDetail(restriction, catalogue.nameOf) })
  if ((code === 'COOLDOWN' || code === 'PAY_LINK_LIMIT') && retrySeconds !== undefined) {
    return new Failure(code, { ...about, detail: `${Math.ceil(retrySeconds / 60)} min`, retryAfter: retrySeconds })
  }
  if (code === 'TOO_MANY_HOLDS') return new Failure(code, { detail: holdLimit(refusal) })
  if (code === 'PART_TOO_SMALL') return new Failure(code, { ...about, detail: whatItTakes(neededAmount) })
  return new Failure(code, about)
}

function holdLimit({ allowed, isFirst, ofNetwork }: Refusal): string {
  if (ofNetwork) return 'no more now: new buyers of your network hold as many lots as they may together'
  if (isFirst) return 'one purchase at a time until your first one is delivered'
  if (allowed === undefined) return `${MAX_OPEN_HOLDS} lots at a time`
  return allowed === 1 ? 'one lot at a time, because you left several unpaid within the last hour' : `${allowed} lots at a time`
}

function whatItTakes(neededAmount: number | undefined): string {
  const why = 'its seller’s account has too little SOL to receive it.'
  return neededAmount === undefined ? `${why} Buy it together with another lot of this seller.` : `${why} Buy at least ${neededAmount}.`
}
