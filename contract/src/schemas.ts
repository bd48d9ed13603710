import Type, { type Static } from 'typebox'

import { type EndpointName } from './endpoints.ts'
import {
  AuditReportSchema,
  BalancesSchema,
  CaseSchema,
  type caseKinds,
  caseStatuses,
  type endReasons,
  HealthReportSchema,
  ListingSchema,
  listingStatuses,
  Nullable,
  PublicConfigSchema,
  PurchaseSchema,
  purchaseStatuses,
  RefundDetails,
  StudioOrder,
  Timestamp,
  TransactionDetails,
  UserSchema,
} from './entities.ts'
import {
  LISTINGS_PAGE,
  MAX_AMOUNT,
  MAX_LISTINGS_PAGE,
  MAX_PRICE_SOL,
  MAX_SEARCH_LENGTH,
  MAX_TRANSACTION_BASE64,
  MIN_AMOUNT,
  MIN_PRICE_SOL,
} from './limits.ts'

const closed = { additionalProperties: false }

const Text = (description: string, maxLength: number, minLength = 1) => Type.String({ description, minLength, maxLength })

const walletAddress = Text('a Solana wallet address in base58', 44, 32)
const signature = Text('an ed25519 signature in base58', 88, 64)
const transaction = Text('a signed Solana transaction in base64', MAX_TRANSACTION_BASE64)
const amount = Type.Integer({ description: `a whole number from ${MIN_AMOUNT} to ${MAX_AMOUNT}` })
const price = Type.Number({ description: `SOL from ${MIN_PRICE_SOL} to ${MAX_PRICE_SOL} in steps of 0.001` })
const idParams = Type.Object({ id: Text('an identifier', 64) })

export const listingSorts = ['newest', 'oldest', 'price', '-price', 'unitPrice', '-unitPrice'] as const

/** Which page of a list. */
const pageOf = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LISTINGS_PAGE, description: `from 1 to ${MAX_LISTINGS_PAGE}, ${LISTINGS_PAGE} by default` }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 256 })),
}

export const ListingsQuery = Type.Object(
  {
    search: Type.Optional(Type.String({ maxLength: MAX_SEARCH_LENGTH })),
    tokenType: Type.Optional(Type.String({ maxLength: 32 })),
    seller: Type.Optional(Type.String({ maxLength: 44 })),
    sort: Type.Optional(Type.Enum([...listingSorts])),
    ...pageOf,
  },
  closed,
)

const ListingsPage = Type.Object({ listings: Type.Array(ListingSchema), nextCursor: Nullable(Type.String()) })

export const CreateListingBody = Type.Object(
  {
    tokenType: Type.Optional(Text('a token type or its display name', 32)),
    tokenName: Type.Optional(Text('a token type or its display name', 32)),
    price,
    amount,
  },
  closed,
)

const CasePage = Type.Object({ cases: Type.Array(CaseSchema), nextCursor: Nullable(Type.String()) })

const StudioOrderBody = Type.Object(
  {
    walletAddress,
    tokenType: Text('a token type or its display name', 32),
    amount,
    idempotencyKey: Text('at most 128 characters, one for each order', 128),
  },
  closed,
)

/** The body of `POST /rpc`; the relay itself decides which methods and params it accepts. */
export const JsonRpcRequest = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Number(), Type.Null()])),
    method: Type.String({ maxLength: 64 }),
    params: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 4 })),
  },
  closed,
)

export const JsonRpcReply = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
  result: Type.Optional(Type.Unknown({ description: 'as the chain returned it' })),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
})

/** The schemas of every call, by the names of `endpoints`. */
export const schemas = {
  health: { response: { 200: HealthReportSchema, 503: HealthReportSchema } },
  config: { response: { 200: PublicConfigSchema } },

  requestNonce: {
    body: Type.Object({ walletAddress }, closed),
    response: { 200: Type.Object({ nonce: Type.String(), message: Type.String(), expiresAt: Timestamp, millisLeft: Type.Integer() }) },
  },
  verifySignature: {
    body: Type.Object({ walletAddress, signature }, closed),
    response: { 200: Type.Object({ token: Type.String(), user: UserSchema }) },
  },
  me: { response: { 200: Type.Object({ user: UserSchema }) } },
  logout: { response: { 204: Type.Null() } },

  balance: { params: Type.Object({ walletAddress }), response: { 200: Type.Object({ balances: BalancesSchema }) } },

  listings: { querystring: ListingsQuery, response: { 200: ListingsPage } },
  listing: { params: idParams, response: { 200: Type.Object({ listing: ListingSchema }) } },
  createListing: { body: CreateListingBody, response: { 201: Type.Object({ listing: ListingSchema }) } },
  removeListing: { params: idParams, response: { 200: Type.Object({ listing: ListingSchema }) } },
  myListings: {
    querystring: Type.Object({ status: Type.Optional(Type.Enum([...listingStatuses, 'all'])) }, closed),
    response: { 200: Type.Object({ listings: Type.Array(ListingSchema) }) },
  },

  buy: {
    params: idParams,
    body: Type.Optional(Type.Union([Type.Null(), Type.Object({ sendsThrough: Type.Optional(Type.Enum(['server', 'wallet'])) }, closed)])),
    response: { 200: Type.Object({ transactionDetails: TransactionDetails }) },
  },
  submitPayment: {
    params: idParams,
    body: Type.Object({ transaction }, closed),
    response: { 200: Type.Object({ signature: Type.String() }) },
  },
  cancelPurchase: { params: idParams, response: { 200: Type.Object({ purchase: PurchaseSchema }) } },
  confirmPurchase: {
    body: Type.Object({ listingId: Text('a listing identifier', 64), transactionSignature: signature }, closed),
    response: { 200: Type.Object({ purchase: PurchaseSchema }), 202: Type.Object({ purchase: PurchaseSchema }) },
  },
  myPurchases: {
    querystring: Type.Object(
      {
        role: Type.Optional(Type.Enum(['buyer', 'seller'])),
        status: Type.Optional(Type.Enum([...purchaseStatuses])),
        ...pageOf,
      },
      closed,
    ),
    response: { 200: Type.Object({ purchases: Type.Array(PurchaseSchema), nextCursor: Nullable(Type.String()) }) },
  },

  cases: { querystring: Type.Object(pageOf, closed), response: { 200: CasePage } },
  prepareRefund: { params: idParams, response: { 200: Type.Object({ refundDetails: RefundDetails }) } },
  submitRefund: {
    params: idParams,
    body: Type.Object({ transaction }, closed),
    response: { 200: Type.Object({ signature: Type.String() }) },
  },

  events: {},

  studioCredit: { body: StudioOrderBody, response: { 200: Type.Object({ credit: StudioOrder }) } },
  studioDebit: { body: StudioOrderBody, response: { 200: Type.Object({ debit: StudioOrder }) } },
  studioCases: {
    querystring: Type.Object({ status: Type.Optional(Type.Enum([...caseStatuses, 'all'])), ...pageOf }, closed),
    response: { 200: CasePage },
  },
  closeCase: {
    body: Type.Object({ caseId: Text('a case identifier', 64), note: Text('what was done, for both sides to read', 1000) }, closed),
    response: { 200: Type.Object({ case: CaseSchema }) },
  },
  audit: { response: { 200: AuditReportSchema } },

  rpc: {},
} as const satisfies Record<EndpointName, object>

export type Schemas = typeof schemas
export type Listing = Static<typeof ListingSchema>
export type ListingSort = (typeof listingSorts)[number]
export type ListingStatus = (typeof listingStatuses)[number]
export type Purchase = Static<typeof PurchaseSchema>
export type PurchaseStatus = (typeof purchaseStatuses)[number]
export type EndReason = (typeof endReasons)[number]
export type Case = Static<typeof CaseSchema>
export type CaseKind = (typeof caseKinds)[number]
export type CaseStatus = (typeof caseStatuses)[number]
export type User = Static<typeof UserSchema>
export type PublicConfig = Static<typeof PublicConfigSchema>
export type HealthReport = Static<typeof HealthReportSchema>
export type AuditReport = Static<typeof AuditReportSchema>
