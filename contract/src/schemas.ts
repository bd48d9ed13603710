import Type, { type Static } from 'typebox'

import { type EndpointName } from './endpoints.ts'
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
import { tokenTypes } from './token-types.ts'

const closed = { additionalProperties: false }

const Text = (description: string, maxLength: number, minLength = 1) => Type.String({ description, minLength, maxLength })
const Timestamp = Type.String({ format: 'date-time' })
const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const TokenTypeSchema = Type.Enum(tokenTypes.map((token) => token.type))
export const TokenNameSchema = Type.Enum(tokenTypes.map((token) => token.name))

const walletAddress = Text('a Solana wallet address in base58', 44, 32)
const signature = Text('an ed25519 signature in base58', 88, 64)
const transaction = Text('a signed Solana transaction in base64', MAX_TRANSACTION_BASE64)
const amount = Type.Integer({ description: `a whole number from ${MIN_AMOUNT} to ${MAX_AMOUNT}` })
const price = Type.Number({ description: `SOL from ${MIN_PRICE_SOL} to ${MAX_PRICE_SOL} in steps of 0.001` })
const lamports = Type.String({ description: 'a whole number of lamports, as text', pattern: '^[0-9]+$' })
const idParams = Type.Object({ id: Text('an identifier', 64) })

export const ErrorReply = Type.Object({ error: Type.String(), code: Type.String() })

export const UserSchema = Type.Object({ walletAddress: Type.String(), createdAt: Timestamp })

export const BalancesSchema = Type.Object({
  appleJuice: Type.Integer(),
  orangeJuice: Type.Integer(),
  grapeSoda: Type.Integer(),
})

export const listingStatuses = ['active', 'sold', 'removed'] as const

export const ListingSchema = Type.Object({
  _id: Type.String(),
  seller: Type.String(),
  tokenName: TokenNameSchema,
  tokenType: TokenTypeSchema,
  amount: Type.Integer(),
  price: Type.Number({ description: 'the whole listing, in SOL' }),
  unitPrice: Type.Number({ description: 'one drink, in SOL' }),
  status: Type.Enum([...listingStatuses]),
  heldUntil: Nullable(Type.String({ format: 'date-time', description: 'until when a buyer may pay; null if nobody holds the listing' })),
  createdAt: Timestamp,
})

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

/**
 * held: the listing waits for this buyer's payment. settled: paid and delivered. ended: no payment counted
 * (`endReason` says how), or a late one became a case.
 */
export const purchaseStatuses = ['held', 'settled', 'ended'] as const
/** cancelled: by the buyer. lapsed: the time to pay ran out. expired: the recorded payment can no longer land. chain_gone: the local chain was restarted. */
export const endReasons = ['cancelled', 'lapsed', 'expired', 'chain_gone'] as const
/** How far a purchase has come, for the steps on the screen. */
export const paymentStages = ['none', 'sent', 'confirmed', 'delivered'] as const

export const PurchaseSchema = Type.Object({
  purchaseId: Type.String(),
  listingId: Type.String(),
  buyer: Type.String(),
  seller: Type.String(),
  tokenType: TokenTypeSchema,
  tokenName: TokenNameSchema,
  amount: Type.Integer(),
  price: Type.Number(),
  lamports,
  status: Type.Enum([...purchaseStatuses]),
  endReason: Nullable(Type.Enum([...endReasons])),
  stage: Type.Enum([...paymentStages]),
  signature: Nullable(Type.String()),
  reference: Type.String(),
  sendsThrough: Type.Enum(['server', 'wallet']),
  payBefore: Timestamp,
  payMillisLeft: Type.Integer({ description: 'milliseconds left to pay; 0 once the time has run out' }),
  earlierChain: Type.Boolean({ description: 'made on a local chain that has been restarted since' }),
  finalized: Type.Boolean(),
  createdAt: Timestamp,
  settledAt: Nullable(Timestamp),
})

export const TransactionDetails = Type.Object({
  purchaseId: Type.String(),
  listingId: Type.String(),
  seller: Type.String(),
  price: Type.Number(),
  lamports,
  reference: Type.String({ description: 'add it to the transfer as a read-only account that does not sign' }),
  payBefore: Timestamp,
  payMillisLeft: Type.Integer(),
})

/**
 * late: landed after the hold had ended. wrong: another amount or shape than agreed. double: a second payment for one purchase.
 * vanished: the network dropped a payment for which tokens had moved.
 */
export const caseKinds = ['late', 'wrong', 'double', 'vanished'] as const
export const caseStatuses = ['open', 'refunding', 'delivered', 'refunded', 'closed'] as const

export const CaseSchema = Type.Object({
  caseId: Type.String(),
  kind: Type.Enum([...caseKinds]),
  status: Type.Enum([...caseStatuses]),
  explanation: Type.String({ description: 'what happened and what to do, for people' }),
  purchaseId: Type.String(),
  listingId: Type.String(),
  buyer: Type.String(),
  seller: Type.String(),
  tokenType: TokenTypeSchema,
  tokenName: TokenNameSchema,
  amount: Type.Integer(),
  price: Type.Number({ description: 'what was paid, in SOL' }),
  lamports,
  signature: Type.String(),
  refundSignature: Nullable(Type.String()),
  refundable: Type.Boolean({ description: 'the seller may refund it now' }),
  openedAt: Timestamp,
  closedAt: Nullable(Timestamp),
  note: Nullable(Type.String()),
})

const CasePage = Type.Object({ cases: Type.Array(CaseSchema), nextCursor: Nullable(Type.String()) })

export const RefundDetails = Type.Object({
  caseId: Type.String(),
  buyer: Type.String(),
  price: Type.Number(),
  lamports,
  reference: Type.String(),
  transaction: Type.String({ description: 'the unsigned refund in base64: the seller signs and submits it' }),
})

const StudioOrderBody = Type.Object(
  {
    walletAddress,
    tokenType: Text('a token type or its display name', 32),
    amount,
    idempotencyKey: Text('at most 128 characters, one for each order', 128),
  },
  closed,
)

export const StudioOrder = Type.Object({
  id: Type.String(),
  direction: Type.Enum(['credit', 'debit']),
  walletAddress: Type.String(),
  tokenType: TokenTypeSchema,
  amount: Type.Integer(),
  idempotencyKey: Type.String(),
  createdAt: Timestamp,
})

const TokenAudit = Type.Object({
  tokenType: TokenTypeSchema,
  credited: Type.Integer(),
  debited: Type.Integer(),
  inWallets: Type.Integer(),
  inListings: Type.Integer(),
  balanced: Type.Boolean(),
})

export const AuditReport = Type.Object({
  ok: Type.Boolean(),
  checkedAt: Timestamp,
  tokens: Type.Array(TokenAudit),
  purchases: Type.Object({
    held: Type.Integer(),
    settled: Type.Integer(),
    ended: Type.Integer(),
    openCases: Type.Integer(),
    earlierChain: Type.Integer(),
    verifiedOnChain: Type.Integer(),
  }),
  violations: Type.Array(Type.Object({ invariant: Type.String(), detail: Type.String() })),
  unchecked: Type.Array(Type.String({ description: 'what could not be checked, and why' })),
})

const ConfigReply = Type.Object({
  productName: Type.String(),
  network: Type.Enum(['localnet', 'devnet', 'testnet', 'mainnet']),
  commitment: Type.Enum(['confirmed', 'finalized']),
  demo: Type.Boolean(),
  /** With the embedded chain the web app offers the Demo Wallet and test SOL. */
  demoWallet: Type.Boolean(),
  holdSeconds: Type.Integer(),
  version: Type.String(),
})

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

const Health = Type.Object({
  status: Type.Enum(['ok', 'down']),
  database: Type.Enum(['ok', 'down']),
  chain: Type.Enum(['ok', 'down']),
  version: Type.String(),
})

/** The schemas of every call, by the names of `endpoints`. */
export const schemas = {
  health: { response: { 200: Health, 503: Health } },
  config: { response: { 200: ConfigReply } },

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
  audit: { response: { 200: AuditReport } },

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
export type PublicConfig = Static<typeof ConfigReply>
export type HealthReport = Static<typeof Health>
export type AuditReport = Static<typeof AuditReport>
