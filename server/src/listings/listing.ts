import { type TokenType } from '@juicebar/contract/catalogue'
import { type Lamports, parsePrice } from '@juicebar/contract/money'
import { Failure } from '@juicebar/contract/errors'
import { type Listing } from '@juicebar/contract/schemas'
import { SELLER_CHARACTERS_SHOWN } from '@juicebar/contract/limits'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { requireTokenAmount } from '../inventory/studio-order.ts'

export interface ListingDraft {
  tokenType: TokenType
  amount: number
  priceLamports: Lamports
  /** Buyers may take a part. */
  divisible: boolean
}

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
  const priceLamports = parsePrice(price)
  if (priceLamports === undefined) throw new Failure('PRICE_INVALID')
  const tokenType = readToken([fields.tokenType, fields.tokenName], catalogue)
  const amount = requireTokenAmount(fields.amount)
  if (divisible && priceLamports < BigInt(amount)) throw new Failure('TOO_CHEAP_TO_DIVIDE')
  return { tokenType, amount, priceLamports, divisible }
}

function readToken(fields: (string | undefined)[], { find }: Pick<Catalogue, 'find'>): TokenType {
  const given = fields.filter((field) => field !== undefined)
  if (given.length === 0) throw new Failure('FIELDS_MISSING')
  const types = new Set(given.map((field) => find(field)))
  const [tokenType] = types
  if (types.size !== 1 || tokenType === undefined) throw new Failure('TOKEN_TYPE_UNKNOWN')
  return tokenType
}

interface Offer {
  listing: Pick<Listing, 'tokenType' | 'divisible'>
  listedAmount: bigint
  listedLamports: bigint
}

/** Whether a listing was created with exactly this offer. */
export function isOfDraft({ listing, listedAmount, listedLamports }: Offer, draft: ListingDraft): boolean {
  const isSameOffer = listing.tokenType === draft.tokenType && listing.divisible === draft.divisible
  return isSameOffer && listedAmount === BigInt(draft.amount) && listedLamports === draft.priceLamports
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
