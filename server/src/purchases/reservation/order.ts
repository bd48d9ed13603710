import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { FEE_RESERVE_LAMPORTS, MAX_ITEMS, MAX_OPEN_HOLDS } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'
import { type orderRefusals } from '@juicebar/contract/schemas/buying/buying-calls'
import { type checkoutFailures } from '@juicebar/contract/schemas/checkouts'
import { isId } from '@juicebar/contract/ids'
import { type FeeTerms } from '../purchase/purchase.ts'
import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Restriction, restrictionDetail } from '../../restrictions/restriction.ts'

export interface OrderedItem {
  listingId: string
  /** How many drinks; undefined for everything that is left. */
  amount?: number | undefined
}

/** What a buyer wants to buy, before anything is known about it. */
export interface BuyOrder {
  /** hold: the buyer pays by himself. payment: the buyer has signed, or is about to, what only the market can send. */
  kind: 'hold' | 'payment'
  buyer: WalletAddress
  items: readonly OrderedItem[]
  /** The client pays all transfers of the purchase. */
  paysTransfers: boolean
  /** The most that the buyer will pay in total, including the fee. */
  mostLamports?: bigint | undefined
  /** The studio's fee as it is now. */
  fee: FeeTerms
  /** Of a hold: where it comes from, as a keyed hash, and how much wallets that never completed a purchase may hold from there together. */
  network?: { hash: Buffer; mostItems: number } | undefined
  /** The public identifier of the checkout that it pays for. */
  checkout?: string | undefined
  /** Of a signed payment. */
  payment?: PaymentName | undefined
  /** What the chain has answered; undefined if it was not asked yet. */
  funds?: Funds | undefined
}

/** What tells a co-signed payment apart from every other. */
export interface PaymentName {
  /** SHA-256 of the message that its signers sign. */
  messageHash: Buffer
  reference: WalletAddress
}

/** What the chain says of the accounts that an order moves SOL between, in lamports. */
export interface Funds {
  /** What the buyer can spend on prices and network fees; of a payment, beside it: what is left once it is carried out. */
  spendable: bigint
  /** Of a payment: the purchases whose payments the chain had carried out before, so that `spendable` lacks their SOL. */
  paid?: ReadonlySet<string>
  /** The network's fee for one payment. */
  networkFee: bigint
  /** The chain refuses to leave an account with less. */
  rentExemptMinimum: bigint
  /** The balances of sellers who would receive less than that; undefined if the payment was simulated, which shows as much. */
  balances?: ReadonlyMap<WalletAddress, bigint>
}

/**
 * Checks everything about the items of an order that can be checked without other data.
 * @returns the items with their identifiers as the database writes them
 * @throws TOO_MANY_ITEMS, LISTING_NOT_FOUND, SAME_LISTING_TWICE
 */
export function soundItems(items: readonly OrderedItem[]): OrderedItem[] {
  if (items.length > MAX_ITEMS) throw new Failure('TOO_MANY_ITEMS')
  const seen = new Set<string>()
  return items.map(({ listingId: text, amount }) => {
    const listingId = text.toLowerCase()
    if (!isId(text)) throw new Failure('LISTING_NOT_FOUND', { listingId: text })
    if (seen.has(listingId)) throw new Failure('SAME_LISTING_TWICE', { listingId: text })
    seen.add(listingId)
    return { listingId, amount }
  })
}

/**
 * The lamports that a wallet has for prices and transaction fees. The rest is a reserve for priority fees, and the rent-exempt
 * minimum, below which the chain refuses to leave an account. May be negative.
 */
export function spendableLamports(balance: Lamports, rentExemptMinimum: Lamports): bigint {
  return balance - FEE_RESERVE_LAMPORTS - rentExemptMinimum
}

/** Why a payment link can reserve nothing for an account. */
export type PayLinkRefusalCode =
  | 'PAY_LINK_NOT_FOUND'
  | 'PAY_LINK_EXPIRED'
  | 'PAY_LINK_PAID'
  | 'PAY_LINK_HELD'
  | 'PAY_LINK_ELSEWHERE'
  | 'PAY_LINK_LIMIT'

/** Why a checkout cannot be paid, or not so. */
export type CheckoutRefusalCode = (typeof checkoutFailures)[number]

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
    | (typeof orderRefusals)[number]
    | ListingRefusalCode
    | PayLinkRefusalCode
    | CheckoutRefusalCode
    | 'TOO_MANY_SELLERS'
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
  /** Set for PAYMENT_REFUSED and CHECKOUT_DIFFERS, and for a refusal that was recorded: what completes the sentence of the code. */
  detail?: string | undefined
  /** Set for PART_TOO_SMALL if a larger part would be accepted: how many drinks it takes. */
  neededAmount?: number | undefined
}

/** What a SQL function returns that refuses a payment link. */
export interface RefusalColumns {
  refusal: Refusal['code'] | null
  retrySeconds: number | null
}

export function refusalOf({ refusal: code, retrySeconds }: RefusalColumns): Refusal | undefined {
  return code === null ? undefined : { code, retrySeconds: retrySeconds ?? undefined }
}

/** The error that the caller gets for a refusal. */
export function refusalFailure(refusal: Refusal, catalogue: Pick<Catalogue, 'nameOf'>): Failure {
  const { code, listingId, restriction, retrySeconds, detail, neededAmount } = refusal
  const about = listingId === undefined ? {} : { listingId }
  if (detail !== undefined) return new Failure(code, { ...about, detail })
  if (restriction !== undefined) return new Failure(code, { ...about, detail: restrictionDetail(restriction, catalogue.nameOf) })
  if (retrySeconds !== undefined) {
    const wait = `${Math.ceil(retrySeconds / 60)} min`
    return new Failure(code, { ...about, detail: code === 'COOLDOWN' ? cooldownText(listingId, wait) : wait, retryAfter: retrySeconds })
  }
  if (code === 'TOO_MANY_HOLDS') return new Failure(code, { detail: holdLimit(refusal) })
  if (code === 'PART_TOO_SMALL') return new Failure(code, { ...about, detail: whatItTakes(neededAmount) })
  return new Failure(code, about)
}

/** Of a listing, or of all payments of a wallet. */
function cooldownText(listingId: string | undefined, wait: string): string {
  const why =
    listingId === undefined ? 'Three of your payments have failed within an hour.' : 'You left this listing unpaid more than once.'
  return `${why} You can try again in ${wait}.`
}

function holdLimit({ allowed, isFirst, ofNetwork }: Refusal): string {
  if (ofNetwork) return 'no more now: new buyers of your network hold as many listings as they may together'
  if (isFirst) return 'one purchase at a time until your first one is delivered'
  if (allowed === undefined) return `${MAX_OPEN_HOLDS} purchases at a time`
  return allowed === 1 ? 'one purchase at a time, because you left several unpaid within the last hour' : `${allowed} purchases at a time`
}

function whatItTakes(neededAmount: number | undefined): string {
  const why = 'its seller’s account has too little SOL to receive it.'
  return neededAmount === undefined ? `${why} Buy it together with another listing of this seller.` : `${why} Buy at least ${neededAmount}.`
}
