import Type from 'typebox'

import { MAX_ITEMS, MAX_SELLERS } from '../limits.ts'
import { type CallSchema, chainFailures } from './call.ts'
import {
  Address,
  amount,
  closed,
  FeeSchema,
  Id,
  idParams,
  lamports,
  lamportsOf,
  nextCursor,
  Nullable,
  pageOf,
  RequiredText,
  signature,
  signedTransaction,
  Timestamp,
  TokenNameSchema,
  TokenTypeSchema,
} from './fields.ts'

/**
 * held: the listing waits for this buyer's payment. settled: paid and delivered. ended: no payment counted
 * (`endReason` says how), or a late one became a case.
 */
export const purchaseStatuses = ['held', 'settled', 'ended'] as const
/**
 * cancelled: by the buyer. lapsed: the time to pay ran out. expired: the recorded payment can no longer land. chain_gone: the local chain
 * was restarted. released: the studio ended it, because nobody could prove whether it was paid.
 */
export const endReasons = ['cancelled', 'lapsed', 'expired', 'chain_gone', 'released'] as const
/** How far a purchase has come, for the steps on the screen. */
export const paymentStages = ['none', 'sent', 'confirmed', 'delivered'] as const

export const PurchaseStatusSchema = Type.Enum([...purchaseStatuses], {
  title: 'PurchaseStatus',
  description:
    '`held`: the listing waits for this buyer’s payment. `settled`: paid and delivered. `ended`: no payment counted, and `endReason` says why.',
})

const SendsThrough = Type.Enum(['server', 'wallet'], {
  title: 'SendsThrough',
  description: '`server`: only this product broadcasts the payment. `wallet`: the buyer’s wallet may do so too.',
})

const payMillisLeft = 'Milliseconds left to pay; 0 once the time has run out, and unless it is held'
const reference = 'Add it to the transfer as a read-only account that does not sign'

const ofSeveral = 'of several items, that of the first'

/** What one payment pays for, as it was agreed. */
export const PurchaseItemSchema = Type.Object(
  {
    listingId: Id('The row that is sold: a listing, or the part that was split off for this purchase'),
    partOf: Nullable(Type.String({ description: 'The listing that it was split from; null for a whole listing' })),
    seller: Address('Who sells it'),
    tokenType: TokenTypeSchema,
    tokenName: TokenNameSchema,
    amount: Type.Integer({ description: 'How many drinks' }),
    lamports,
    price: Type.Number({ description: 'The item, in SOL' }),
  },
  { title: 'PurchaseItem' },
)

const items = Type.Array(PurchaseItemSchema, { description: 'All of them are held, paid and delivered together, or none' })

export const PurchaseSchema = Type.Object(
  {
    purchaseId: Id('The purchase'),
    listingId: Id(`What is bought; ${ofSeveral}`),
    buyer: Address('Who pays'),
    seller: Address(`Who is paid; ${ofSeveral}`),
    tokenType: TokenTypeSchema,
    tokenName: TokenNameSchema,
    amount: Type.Integer({ description: 'How many drinks, in all' }),
    price: Type.Number({ description: 'The whole purchase without the fee, in SOL' }),
    lamports,
    items,
    fee: FeeSchema,
    status: PurchaseStatusSchema,
    endReason: Nullable(
      Type.Enum([...endReasons], {
        title: 'EndReason',
        description:
          '`cancelled`: by the buyer. `lapsed`: the time to pay ran out. `expired`: the submitted payment can no longer land. `chain_gone`: the local chain was restarted. `released`: the studio ended the hold, and `releaseReason` says why.',
      }),
    ),
    stage: Type.Enum([...paymentStages], { title: 'PaymentStage', description: 'How far the payment has come' }),
    signature: Nullable(Type.String({ description: 'The payment’s transaction, once it is known' })),
    reference: Address(reference),
    sendsThrough: SendsThrough,
    payBefore: Timestamp('Until when the buyer may pay'),
    payMillisLeft: Type.Integer({ description: payMillisLeft }),
    waitsForStudio: Type.Boolean({ description: 'Whether only the studio can end this hold: nobody can prove whether it was paid' }),
    releaseReason: Nullable(Type.String({ description: 'Why the studio released the hold, in its words for buyer and seller' })),
    cooldownUntil: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Until when the buyer cannot hold this listing again; null if there is no cooldown',
      }),
    ),
    earlierChain: Type.Boolean({ description: 'Made on a local chain that has been restarted since' }),
    finalized: Type.Boolean({ description: 'Whether the payment can never be undone' }),
    createdAt: Timestamp('When the listing was held'),
    settledAt: Nullable(Timestamp('When the drinks moved')),
  },
  { title: 'Purchase' },
)

export const PurchasesPage = Type.Object({ purchases: Type.Array(PurchaseSchema), nextCursor }, { title: 'PurchasesPage' })

const TransferSchema = Type.Object(
  {
    to: Address('Whom to pay'),
    lamports,
    kind: Type.Enum(['seller', 'fee'], { title: 'TransferKind', description: 'Whether it pays a seller or the studio’s fee' }),
  },
  { title: 'Transfer', description: 'One System transfer of the payment. It carries the reference.' },
)

const TransactionDetails = Type.Object(
  {
    purchaseId: Id('The purchase, for the calls that follow'),
    listingId: Id(`What is bought; ${ofSeveral}`),
    seller: Address(`Whom to pay; ${ofSeveral}`),
    price: Type.Number({ description: 'The sum of the items, in SOL' }),
    lamports,
    items,
    transfers: Type.Array(TransferSchema, { description: 'What one transaction has to pay: one transfer to each seller, and the fee' }),
    fee: FeeSchema,
    reference: Address(reference),
    payBefore: Timestamp('Until when to pay'),
    payMillisLeft: Type.Integer({ description: payMillisLeft }),
  },
  { title: 'TransactionDetails' },
)

export const SignedTransaction = Type.Object({ transaction: signedTransaction }, { ...closed, title: 'SignedTransaction' })
export const Submitted = Type.Object(
  { signature: Type.String({ description: 'The transaction’s name on the chain' }) },
  { title: 'Submitted' },
)

const paysTransfers = Type.Boolean({
  description: 'Whether the client pays all `transfers`; without it, `TRANSFERS_NEEDED` if there is more to pay than one seller',
})

const BuyOptions = Type.Object(
  { sendsThrough: Type.Optional(SendsThrough), transfers: Type.Optional(paysTransfers) },
  { ...closed, title: 'BuyOptions' },
)

const PurchaseOrder = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          listingId: RequiredText('a listing identifier', 64, { description: 'The listing' }),
          amount: Type.Optional(amount),
        },
        { ...closed, title: 'OrderedItem', description: 'Without an amount, all that is left of the listing' },
      ),
      { minItems: 1, description: `Up to ${MAX_ITEMS} listings, of at most ${MAX_SELLERS} sellers` },
    ),
    maxLamports: Type.Optional(lamportsOf('The most that the buyer pays in all, the fee included')),
    sendsThrough: Type.Optional(SendsThrough),
    transfers: Type.Optional(paysTransfers),
  },
  { ...closed, title: 'PurchaseOrder' },
)

const holdFailures = [
  'LISTING_NOT_FOUND',
  'OWN_LISTING',
  'LISTING_NOT_ACTIVE',
  'LISTING_HELD',
  'HELD_BY_YOU',
  'TRANSFERS_NEEDED',
  'PART_TOO_SMALL',
  'FEE_WALLET_EMPTY',
  'INSUFFICIENT_SOL',
  'TOO_MANY_HOLDS',
  'AMBIGUOUS_HOLD',
  'COOLDOWN',
  'PAYMENT_UNDER_WAY',
  'HOLD_ENDED',
  ...chainFailures,
] as const

const confirmed = {
  response: { 200: Type.Object({ purchase: PurchaseSchema }), 202: Type.Object({ purchase: PurchaseSchema }) },
  failures: ['NO_HOLD', 'PAYMENT_MISMATCH', 'SIGNATURE_USED', 'PAYMENT_CASE', ...chainFailures],
  documented: {
    replies: { 200: { description: 'The drinks are delivered' }, 202: { description: 'The chain has not confirmed the payment yet' } },
  },
} as const

export const buyingCalls = {
  buy: {
    summary: 'Hold a listing, and learn whom to pay how much',
    description:
      'Nobody else can buy the listing until `payBefore`. Asking again returns the same hold. `PAYMENT_UNDER_WAY` and `HOLD_ENDED` mean: do not pay. After any other refusal nothing is held; after `DATABASE_DOWN` it may be, so ask again.',
    params: idParams('The listing'),
    body: Type.Optional(Type.Union([Type.Null(), BuyOptions])),
    response: { 200: Type.Object({ transactionDetails: TransactionDetails }) },
    failures: holdFailures,
  },
  purchase: {
    summary: 'Hold one listing or several, or parts of them, and learn whom to pay how much',
    description:
      'Pays with one approval: all items are held, paid and delivered together, or none. A refused item is named by `listingId`. The same order asked again returns the same hold. `PAYMENT_UNDER_WAY` and `HOLD_ENDED` mean: do not pay.',
    body: PurchaseOrder,
    response: { 201: Type.Object({ transactionDetails: TransactionDetails }) },
    failures: [
      ...holdFailures,
      'SAME_LISTING_TWICE',
      'TOO_MANY_ITEMS',
      'TOO_MANY_SELLERS',
      'AMOUNT_INVALID',
      'AMOUNT_NOT_LEFT',
      'NOT_DIVISIBLE',
      'PRICE_MOVED',
    ],
  },
  submitPayment: {
    summary: 'Submit the signed payment for the server to send',
    description:
      'The server checks it, records it, sends it, and keeps sending it. After a refusal nothing was sent; after `DATABASE_DOWN` it may be. Submit the same bytes as often as you like.',
    params: idParams('The purchase'),
    body: SignedTransaction,
    response: { 200: Submitted },
    failures: ['PURCHASE_NOT_FOUND', 'PAYMENT_REFUSED', 'HOLD_ENDED', 'PAYMENT_DIFFERS', ...chainFailures],
  },
  cancelPurchase: {
    summary: 'Cancel a hold that you will not pay',
    description:
      'If only the server could have sent a payment, the listing is free at once; else as soon as the chain proves that no payment can come.',
    params: idParams('The purchase'),
    response: { 200: Type.Object({ purchase: PurchaseSchema }) },
    failures: ['PURCHASE_NOT_FOUND', 'PAYMENT_UNDER_WAY'],
  },
  confirmPurchase: {
    summary: 'Confirm a payment by its signature; safe to repeat at any time',
    description: '202 until the chain has confirmed the payment, then 200. The server finds the payment even if this is never called.',
    body: Type.Object(
      {
        listingId: RequiredText('a listing identifier', 64, {
          description: 'The listing that was paid for, or that a part was split from',
        }),
        transactionSignature: signature,
      },
      { ...closed, title: 'Confirmation' },
    ),
    ...confirmed,
  },
  confirmPayment: {
    summary: 'Confirm the payment of a purchase; as `confirm-purchase`, for a client that has its id',
    description: '202 until the chain has confirmed the payment, then 200. The server finds the payment even if this is never called.',
    params: idParams('The purchase'),
    body: Type.Object({ transactionSignature: signature }, { ...closed, title: 'PaymentConfirmation' }),
    ...confirmed,
    failures: ['PURCHASE_NOT_FOUND', ...confirmed.failures],
  },
  myPurchases: {
    summary: 'List your purchases and sales',
    description: 'The newest first.',
    querystring: Type.Object(
      {
        role: Type.Optional(
          Type.Enum(['buyer', 'seller'], { title: 'PurchaseRole', description: 'Only what you bought, or only what you sold' }),
        ),
        status: Type.Optional(PurchaseStatusSchema),
        ...pageOf,
      },
      closed,
    ),
    response: { 200: PurchasesPage },
    failures: ['CURSOR_INVALID'],
  },
} as const satisfies Record<string, CallSchema>
