import Type from 'typebox'

import { type CallSchema, chainFailures } from './call.ts'
import {
  Address,
  closed,
  Id,
  idParams,
  lamports,
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

export const PurchaseSchema = Type.Object(
  {
    purchaseId: Id('The purchase'),
    listingId: Id('What is bought'),
    buyer: Address('Who pays'),
    seller: Address('Who is paid'),
    tokenType: TokenTypeSchema,
    tokenName: TokenNameSchema,
    amount: Type.Integer({ description: 'How many drinks' }),
    price: Type.Number({ description: 'The whole purchase, in SOL' }),
    lamports,
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

const TransactionDetails = Type.Object(
  {
    purchaseId: Id('The purchase, for the calls that follow'),
    listingId: Id('What is bought'),
    seller: Address('Whom to pay'),
    price: Type.Number({ description: 'What to pay, in SOL' }),
    lamports,
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

const BuyOptions = Type.Object({ sendsThrough: Type.Optional(SendsThrough) }, { ...closed, title: 'BuyOptions' })

export const buyingCalls = {
  buy: {
    summary: 'Hold a listing, and learn whom to pay how much',
    description:
      'Nobody else can buy the listing until `payBefore`. Asking again returns the same hold. `PAYMENT_UNDER_WAY` and `HOLD_ENDED` mean: do not pay. After any other refusal nothing is held; after `DATABASE_DOWN` it may be, so ask again.',
    params: idParams('The listing'),
    body: Type.Optional(Type.Union([Type.Null(), BuyOptions])),
    response: { 200: Type.Object({ transactionDetails: TransactionDetails }) },
    failures: [
      'LISTING_NOT_FOUND',
      'OWN_LISTING',
      'LISTING_NOT_ACTIVE',
      'LISTING_HELD',
      'INSUFFICIENT_SOL',
      'TOO_MANY_HOLDS',
      'AMBIGUOUS_HOLD',
      'COOLDOWN',
      'PAYMENT_UNDER_WAY',
      'HOLD_ENDED',
      ...chainFailures,
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
        listingId: RequiredText('a listing identifier', 64, { description: 'The listing that was paid for' }),
        transactionSignature: signature,
      },
      { ...closed, title: 'Confirmation' },
    ),
    response: { 200: Type.Object({ purchase: PurchaseSchema }), 202: Type.Object({ purchase: PurchaseSchema }) },
    failures: ['NO_HOLD', 'PAYMENT_MISMATCH', 'SIGNATURE_USED', 'PAYMENT_CASE', ...chainFailures],
    documented: {
      replies: { 200: { description: 'The drinks are delivered' }, 202: { description: 'The chain has not confirmed the payment yet' } },
    },
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
