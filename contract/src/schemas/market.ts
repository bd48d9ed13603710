import Type from 'typebox'

import { MAX_IDEMPOTENCY_KEY, MAX_ITEMS, MAX_REMOVED_LISTINGS, MAX_SEARCH_LENGTH, MAX_SELLERS, PRICE_CHANGE_SECONDS } from '../limits.ts'
import { type CallSchema } from './call.ts'
import {
  Address,
  amount,
  closed,
  documentedPage,
  FeeSchema,
  Flag,
  Id,
  idParams,
  lamports,
  nextCursor,
  Nullable,
  OneOf,
  pageOf,
  price,
  repliedLamports,
  RequiredText,
  requiredToken,
  Timestamp,
  tokenFilter,
  TokenNameSchema,
  TokenTypeSchema,
} from './fields.ts'

export const listingStatuses = ['active', 'sold', 'removed'] as const

export const ListingSchema = Type.Object(
  {
    _id: Id('The listing'),
    seller: Address('Who sells it and receives the SOL'),
    tokenName: TokenNameSchema,
    tokenType: TokenTypeSchema,
    amount: Type.Integer({ description: 'How many drinks' }),
    price: Type.Number({ description: 'The whole listing, in SOL' }),
    lamports: repliedLamports('The same'),
    unitPrice: Type.Number({ description: 'One drink, in SOL' }),
    divisible: Type.Boolean({ description: 'Whether a buyer may take a part of it' }),
    partOf: Type.Optional(Type.String({ description: 'The listing that this part was split from. Left out for a whole listing' })),
    status: Type.Enum([...listingStatuses], { title: 'ListingStatus' }),
    heldUntil: Nullable(Type.String({ format: 'date-time', description: 'Until when a buyer may pay; null if nobody holds the listing' })),
    waitsForStudio: Type.Optional(
      Type.Boolean({ description: 'True while only the studio can end its hold: nobody can prove whether it was paid. Else left out' }),
    ),
    createdAt: Timestamp('When it was put up for sale'),
  },
  { title: 'Listing' },
)

/** A listing as its seller sees it, with the parts of it that buyers hold. */
export const OwnListingSchema = Type.Object(
  {
    ...ListingSchema.properties,
    amount: Type.Integer({ description: 'How many drinks are not sold yet, those included that are being bought' }),
    price: Type.Number({ description: 'What these cost in all, in SOL' }),
    lamports: repliedLamports('The same'),
    beingBought: Type.Integer({ description: 'How many of them buyers hold' }),
    sold: Type.Integer({ description: 'How many of it were bought in parts' }),
  },
  { title: 'OwnListing' },
)

export const listingSorts = ['newest', 'oldest', 'price', '-price', 'unitPrice', '-unitPrice'] as const

const ListingsQuery = Type.Object(
  {
    search: Type.Optional(
      Type.String({ maxLength: MAX_SEARCH_LENGTH, description: 'Part of a drink’s name or of the seller’s address, in any case' }),
    ),
    tokenType: Type.Optional(tokenFilter),
    seller: Type.Optional(Type.String({ maxLength: 44, description: 'Only the listings of this wallet' })),
    sort: Type.Optional(
      Type.Enum([...listingSorts], {
        title: 'ListingSort',
        description: 'The order; `newest` by default. A minus sorts the dearest first.',
      }),
    ),
    ...pageOf,
  },
  closed,
)

const ListingsPage = Type.Object({ listings: Type.Array(ListingSchema), nextCursor }, { title: 'ListingsPage' })

const divisible = Flag('Whether a buyer may take a part of it; `false` by default. A drink must then cost at least one lamport.')
const QuoteQuery = Type.Object(
  {
    tokenType: requiredToken,
    amount,
    excludeSeller: Type.Optional(
      Type.String({ maxLength: 44, description: 'Your own wallet: its listings are left out, and if it receives the fee, so is the fee' }),
    ),
  },
  closed,
)

const QuoteItem = Type.Object(
  {
    listingId: Id('The listing'),
    seller: Address('Who sells it and receives the SOL'),
    tokenType: TokenTypeSchema,
    amount: Type.Integer({ description: 'How many of its drinks; fewer than it has only of a divisible listing' }),
    lamports,
    price: Type.Number({ description: 'The same in SOL' }),
  },
  { title: 'QuoteItem' },
)

export const QuoteSchema = Type.Object(
  {
    items: Type.Array(QuoteItem, { maxItems: MAX_ITEMS, description: 'The cheapest drink first, then the oldest listing' }),
    amount: Type.Integer({ description: 'How many drinks the items have together' }),
    lamports,
    price: Type.Number({ description: 'What the sellers get together, in SOL' }),
    fee: FeeSchema,
    averageUnitPrice: Nullable(Type.Number({ description: 'One drink, in SOL, without the fee; null without items' })),
    highestUnitPrice: Nullable(Type.Number({ description: 'One drink of the dearest item, in SOL, without the fee; null without items' })),
    complete: Type.Boolean({ description: 'Whether `amount` is what was asked for' }),
  },
  { title: 'Quote' },
)

const offer = { price, amount, divisible: Type.Optional(divisible) }
const tokenType = requiredToken
const tokenName = requiredToken
const CreateListingBody = Type.Object(
  { tokenType: Type.Optional(tokenType), tokenName: Type.Optional(tokenName), ...offer },
  {
    ...closed,
    documentedAs: OneOf(
      [
        Type.Object({ tokenType, tokenName: Type.Optional(tokenName), ...offer }, { ...closed, title: 'ListingByTokenType' }),
        Type.Object({ tokenName, ...offer }, { ...closed, title: 'ListingByTokenName' }),
      ],
      { title: 'CreateListing', description: 'The drink is named by `tokenType` or by `tokenName`; if by both, they must agree.' },
    ),
  },
)

const idempotencyKey = RequiredText(`1 to ${MAX_IDEMPOTENCY_KEY} characters, one for each listing`, MAX_IDEMPOTENCY_KEY, {
  description:
    'Your own name for this listing, kept for a day. With the same key, the same call returns the listing that it has created, and moves nothing.',
})
const changeKey = RequiredText(`1 to ${MAX_IDEMPOTENCY_KEY} characters, one for each change`, MAX_IDEMPOTENCY_KEY, {
  description:
    'Your own name for this change, kept for a day. With the same key, the same call returns the listing as it is now, and changes nothing again.',
})

/** Why a listing stayed on the market. */
const keptCodes = ['LISTING_HELD_BY_BUYER', 'LISTING_FROZEN', 'BALANCE_LIMIT'] as const

const KeptListing = Type.Object(
  { listingId: Id('The listing'), code: Type.Enum([...keptCodes], { title: 'KeptCode', description: 'Why it stayed on the market' }) },
  { title: 'KeptListing' },
)

export const RemovedListingsSchema = Type.Object(
  {
    removed: Type.Integer({ description: 'How many listings were removed' }),
    kept: Type.Array(KeptListing, { description: 'Those that stay on the market' }),
  },
  { title: 'RemovedListings' },
)

export const marketCalls = {
  listings: {
    summary: 'List active listings, with search, filters and sort orders',
    description:
      'Held listings are included: `heldUntil` says so. Listings that come and go between two pages are neither skipped nor repeated.',
    querystring: ListingsQuery,
    response: { 200: ListingsPage },
    failures: ['TOKEN_TYPE_UNKNOWN', 'CURSOR_INVALID'],
    documented: documentedPage,
  },
  listing: {
    summary: 'Read one listing',
    description: 'Sold and removed listings can still be read.',
    params: idParams('The listing'),
    response: { 200: Type.Object({ listing: ListingSchema }) },
    failures: ['LISTING_NOT_FOUND'],
  },
  quote: {
    summary: 'Find the cheapest way to buy an amount of a drink',
    description:
      `At most ${MAX_ITEMS} items of at most ${MAX_SELLERS} sellers; held listings are not counted. A listing that is not divisible is taken ` +
      'whole or skipped, and so is a part so small that Solana would refuse its payment. A quote holds nothing.',
    querystring: QuoteQuery,
    response: { 200: QuoteSchema },
    failures: ['FIELDS_MISSING', 'TOKEN_TYPE_UNKNOWN', 'AMOUNT_INVALID', 'WALLET_ADDRESS_INVALID'],
  },
  createListing: {
    summary: 'Put tokens up for sale',
    description:
      'They leave your balance and stay in the listing until it is sold or you remove it. Safe to repeat only with an `Idempotency-Key`.',
    headers: Type.Object({ 'idempotency-key': Type.Optional(idempotencyKey) }),
    body: CreateListingBody,
    response: { 201: Type.Object({ listing: ListingSchema }) },
    failures: [
      'PRICE_INVALID',
      'TOKEN_TYPE_UNKNOWN',
      'AMOUNT_INVALID',
      'TOO_CHEAP_TO_DIVIDE',
      'INSUFFICIENT_TOKENS',
      'IDEMPOTENCY_KEY_REUSED',
      'PAUSED',
      'BLOCKED',
      'RULE_BROKEN',
    ],
  },
  changePrice: {
    summary: 'Change the price of one of your listings',
    description:
      'The new price is for all that is left of it. Parts that are being bought keep their price, and take the new one if they come back: ' +
      `together with them, it must not cost more than the highest price. At most one change in ${PRICE_CHANGE_SECONDS} seconds. The price that it ` +
      'has already changes nothing. The rules of the market apply as to a new listing.',
    params: idParams('The listing'),
    headers: Type.Object({ 'idempotency-key': Type.Optional(changeKey) }),
    body: Type.Object({ price }, { ...closed, title: 'ChangePrice' }),
    response: { 200: Type.Object({ listing: ListingSchema }) },
    failures: [
      'PRICE_INVALID',
      'TOO_CHEAP_TO_DIVIDE',
      'LISTING_NOT_FOUND',
      'NOT_YOUR_LISTING',
      'LISTING_NOT_ACTIVE',
      'LISTING_HELD_BY_BUYER',
      'LISTING_FROZEN',
      'PRICE_JUST_CHANGED',
      'IDEMPOTENCY_KEY_REUSED',
      'PAUSED',
      'BLOCKED',
      'RULE_BROKEN',
    ],
  },
  removeListings: {
    summary: 'Remove all of your listings that nobody is buying',
    description:
      'Their tokens return to your balance. A listing of which parts are being bought loses its rest and counts as removed. Safe to repeat: ' +
      `one call removes at most ${MAX_REMOVED_LISTINGS.toLocaleString('en')} listings, the oldest first.`,
    querystring: Type.Object(
      { status: Type.Enum(['active'], { title: 'RemovedStatus', description: 'Required, so that nobody removes everything by mistake' }) },
      closed,
    ),
    response: { 200: RemovedListingsSchema },
    failures: ['FIELDS_MISSING'],
  },
  removeListing: {
    summary: 'Remove one of your listings',
    description: 'Its tokens return to your balance. A listing that a buyer holds cannot be removed.',
    params: idParams('The listing'),
    response: { 200: Type.Object({ listing: ListingSchema }) },
    failures: ['LISTING_NOT_FOUND', 'NOT_YOUR_LISTING', 'LISTING_NOT_ACTIVE', 'LISTING_HELD_BY_BUYER', 'LISTING_FROZEN', 'BALANCE_LIMIT'],
  },
  myListings: {
    summary: 'List your own listings',
    querystring: Type.Object(
      {
        status: Type.Optional(
          Type.Enum([...listingStatuses, 'all'], { title: 'ListingStatusFilter', description: 'Only these; `active` by default' }),
        ),
      },
      closed,
    ),
    response: { 200: Type.Object({ listings: Type.Array(OwnListingSchema) }) },
    failures: [],
  },
} as const satisfies Record<string, CallSchema>
