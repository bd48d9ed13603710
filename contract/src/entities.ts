/** What replies are made of: the schemas of the things that the API speaks of. */
import Type from 'typebox'

import { tokenTypes } from './token-types.ts'

export const Timestamp = Type.String({ format: 'date-time' })
export const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const lamports = Type.String({ description: 'a whole number of lamports, as text', pattern: '^[0-9]+$' })

export const TokenTypeSchema = Type.Enum(tokenTypes.map((token) => token.type))
export const TokenNameSchema = Type.Enum(tokenTypes.map((token) => token.name))

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
  payMillisLeft: Type.Integer({ description: 'milliseconds left to pay; 0 once the time has run out, and unless it is held' }),
  cooldownUntil: Nullable(
    Type.String({ format: 'date-time', description: 'until when the buyer cannot hold this listing again; null if there is no cooldown' }),
  ),
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

export const RefundDetails = Type.Object({
  caseId: Type.String(),
  buyer: Type.String(),
  price: Type.Number(),
  lamports,
  reference: Type.String(),
  transaction: Type.String({ description: 'the unsigned refund in base64: the seller signs and submits it' }),
})

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

export const AuditReportSchema = Type.Object({
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

export const PublicConfigSchema = Type.Object({
  productName: Type.String(),
  network: Type.Enum(['localnet', 'devnet', 'testnet', 'mainnet']),
  commitment: Type.Enum(['confirmed', 'finalized']),
  demo: Type.Boolean(),
  /** With the embedded chain the web app offers the Demo Wallet and test SOL. */
  demoWallet: Type.Boolean(),
  holdSeconds: Type.Integer(),
  version: Type.String(),
})

export const HealthReportSchema = Type.Object({
  status: Type.Enum(['ok', 'down']),
  database: Type.Enum(['ok', 'down']),
  chain: Type.Enum(['ok', 'down']),
  version: Type.String(),
})
