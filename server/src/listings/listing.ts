import { type TokenType } from '@juicebar/contract/catalogue'
import { type Lamports, LAMPORTS_PER_SOL, parsePrice, partPrice } from '@juicebar/contract/money'
import { Failure } from '@juicebar/contract/errors'
import { type Listing } from '@juicebar/contract/schemas'
import { MAX_PRICE_SOL, SELLER_CHARACTERS_SHOWN } from '@juicebar/contract/limits'
import { type Catalogue, requireTokenAmount } from '../catalogue/catalogue.ts'

export interface ListingDraft {
  tokenType: TokenType
  amount: number
  priceLamports: Lamports
  /** Buyers may take a part. */
  divisible: boolean
}

const MAX_PRICE_LAMPORTS = BigInt(MAX_PRICE_SOL) * LAMPORTS_PER_SOL

interface DraftFields {
  tokenType?: string
  tokenName?: string
  price: number
  amount: number
  divisible?: boolean
}

/**
 * Reads the payload of a new listing. The token is in `tokenType` or `tokenName`, as its enum value or its display name; if both
 * are given, they must agree. `price` is the price of the whole listing in SOL.
 * @throws PRICE_INVALID, FIELDS_MISSING, TOKEN_TYPE_UNKNOWN, AMOUNT_INVALID, TOO_CHEAP_TO_DIVIDE
 */
export function draftListing({ price, divisible = false, ...fields }: DraftFields, catalogue: Pick<Catalogue, 'find'>): ListingDraft {
  const priceLamports = requirePrice(price)
  const tokenType = readToken([fields.tokenType, fields.tokenName], catalogue)
  const amount = requireTokenAmount(fields.amount)
  if (divisible && priceLamports < BigInt(amount)) throw new Failure('TOO_CHEAP_TO_DIVIDE')
  return { tokenType, amount, priceLamports, divisible }
}

/**
 * Reads the price of a whole listing in SOL.
 * @throws PRICE_INVALID
 */
export function requirePrice(sol: number): Lamports {
  const priceLamports = parsePrice(sol)
  if (priceLamports === undefined) throw new Failure('PRICE_INVALID')
  return priceLamports
}

function readToken(fields: (string | undefined)[], { find }: Pick<Catalogue, 'find'>): TokenType {
  const given = fields.filter((field) => field !== undefined)
  if (given.length === 0) throw new Failure('FIELDS_MISSING')
  const types = new Set(given.map((field) => find(field)))
  const [tokenType] = types
  if (types.size !== 1 || tokenType === undefined) throw new Failure('TOKEN_TYPE_UNKNOWN')
  return tokenType
}

/** A listing, and what an idempotency key has done with it. */
export interface KeyedListing {
  listing: Listing
  /** What was listed, regardless of what has been sold since, and for which price. */
  listedAmount: bigint
  listedLamports: bigint
  /** The price to which the key has changed it; null if the key has created it. */
  changedLamports: bigint | null
}

/** Whether a key has created its listing with exactly this offer. */
export function isOfDraft({ listing, listedAmount, listedLamports, changedLamports }: KeyedListing, draft: ListingDraft): boolean {
  const isSameOffer = changedLamports === null && listing.tokenType === draft.tokenType && listing.divisible === draft.divisible
  return isSameOffer && listedAmount === BigInt(draft.amount) && listedLamports === draft.priceLamports
}

/** What decides whether the price of a listing may change. */
export interface PricedListing {
  tokenType: TokenType
  /** What is left of it, and what that costs. */
  amount: number
  priceLamports: Lamports
  divisible: boolean
  status: 'active' | 'reserved' | 'sold' | 'removed' | 'merged'
  /** A buyer holds it; or it is a part that merges once the buyer of its listing no longer holds that. */
  held: boolean
  /** Of its parts that may come back. */
  partsAmount: number
  frozen: boolean
  /** Until its price may change again. */
  secondsToWait: number
}

/**
 * Whether a listing's price would change.
 * @returns false if it has this price already, whatever else would refuse a change
 * @throws LISTING_NOT_ACTIVE, LISTING_HELD_BY_BUYER, LISTING_FROZEN, TOO_CHEAP_TO_DIVIDE; PRICE_JUST_CHANGED; PRICE_INVALID if the listing
 * could cost more than the database can store once its parts come back
 */
export function changesPrice(listing: PricedListing, priceLamports: Lamports): boolean {
  const { amount, status, held, frozen, divisible, partsAmount, secondsToWait } = listing
  if (status !== 'active' && status !== 'reserved') throw new Failure('LISTING_NOT_ACTIVE')
  if (priceLamports === listing.priceLamports) return false
  if (held) throw new Failure('LISTING_HELD_BY_BUYER')
  // What a lost payment was for may have to be told by its price.
  if (frozen) throw new Failure('LISTING_FROZEN')
  if (divisible && priceLamports < BigInt(amount)) throw new Failure('TOO_CHEAP_TO_DIVIDE')
  if (partPrice({ amount, lamports: priceLamports }, amount + partsAmount) > MAX_PRICE_LAMPORTS) throw new Failure('PRICE_INVALID')
  if (secondsToWait > 0) {
    const detail = secondsToWait === 1 ? '1 second' : `${secondsToWait} seconds`
    throw new Failure('PRICE_JUST_CHANGED', { detail, retryAfter: secondsToWait })
  }
  return true
}

/** The metadata in the head of a listing's page, for browsers and link previews. */
export interface ListingPage {
  title: string
  description: string
}

const states: Record<Listing['status'], string | undefined> = {
  active: undefined,
  sold: 'This listing has been sold.',
  removed: 'This listing is no longer for sale.',
}

/** Describes a listing in the words of a link preview. */
export function listingPage({ amount, tokenName, price, unitPrice, seller, status }: Listing): ListingPage {
  const [count, sol, each] = [amount, price, unitPrice].map((number) => number.toLocaleString('en', { maximumFractionDigits: 9 }))
  const offer = `${each} SOL each, sold by ${seller.slice(0, SELLER_CHARACTERS_SHOWN)}…, paid wallet to wallet.`
  return { title: `${count} ${tokenName} for ${sol} SOL`, description: states[status] ?? offer }
}
