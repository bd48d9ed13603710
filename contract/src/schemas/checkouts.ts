import Type from 'typebox'

import { CHECKOUT_SECONDS, MAX_CLIENT_REFERENCE, MAX_IDEMPOTENCY_KEY, MAX_RETURN_URL } from '../limits.ts'
import { type CallSchema, type Keywords } from './call.ts'
import {
  amount,
  closed,
  Id,
  idParams,
  logReasonQuery,
  nextCursor,
  Nullable,
  pageOf,
  repliedLamports,
  requiredToken,
  RequiredText,
  Timestamp,
  TokenNameSchema,
  TokenTypeSchema,
  walletAddress,
} from './fields.ts'

const { min: least, max: most, usual } = CHECKOUT_SECONDS
const keywords = (own: Keywords) => own

/**
 * open: the player may pay. paying: a payment is reserved, or a hold placed. completed: paid and delivered. expired: nobody paid in time; a
 * payment that a wallet sent in time and that turns up later still completes it.
 */
export const checkoutStatuses = ['open', 'paying', 'completed', 'expired'] as const
/** Why an attempt to pay did not complete a checkout. */
export const attemptOutcomes = ['paying', 'delivered', 'unpaid', 'refused'] as const

const CheckoutStatusSchema = Type.Enum([...checkoutStatuses], {
  title: 'CheckoutStatus',
  description:
    '`open`: the player may pay. `paying`: a payment is reserved, or a hold placed. `completed`: paid and delivered. `expired`: nobody paid ' +
    'in time. A payment that ends unpaid opens it again, or expires it.',
})

const returnUrl = Type.String({ description: 'Where the player returns to, as the page shows it' })
const expiresAt = Timestamp('Until when a payment may be reserved for it')
const itemFields = { tokenType: TokenTypeSchema, amount: Type.Integer({ description: 'How many' }) }
const maxLamports = Nullable(repliedLamports('The most that it may cost, the fee included; null without a limit'))

export const CheckoutSchema = Type.Object(
  {
    id: Id('The checkout: what your server knows it by'),
    url: Type.String({ description: 'Where the player pays: whoever has it may' }),
    status: CheckoutStatusSchema,
    ...itemFields,
    maxLamports,
    wallet: Nullable(Type.String({ description: 'The only wallet that may pay; null for any' })),
    clientReference: Nullable(Type.String({ description: 'Your own name for it' })),
    returnUrl,
    expiresAt,
    purchaseId: Nullable(Type.String({ description: 'The purchase that pays, or has paid, for it' })),
    buyer: Nullable(Type.String({ description: 'The wallet that pays, or has paid' })),
    lamports: Nullable(repliedLamports('What that wallet pays in all, the fee included')),
    signature: Nullable(Type.String({ description: 'The payment’s transaction' })),
    createdAt: Timestamp('When it was made'),
  },
  { title: 'Checkout' },
)

export const PlayerCheckoutSchema = Type.Object(
  {
    id: Id('The checkout, as the game knows it: part of the address that the player returns to'),
    status: CheckoutStatusSchema,
    ...itemFields,
    tokenName: TokenNameSchema,
    maxLamports,
    returnUrl,
    expiresAt,
    millisLeft: Type.Integer({ description: 'Milliseconds until then; 0 once it has expired' }),
  },
  { title: 'PlayerCheckout' },
)

export const CheckoutAttemptSchema = Type.Object(
  {
    at: Timestamp('When the wallet tried'),
    wallet: Type.String({ description: 'The wallet that tried to pay' }),
    outcome: Type.Enum([...attemptOutcomes], {
      title: 'AttemptOutcome',
      description:
        '`paying`: under way. `delivered`: it was paid. `unpaid`: it was reserved or held, and no payment counted. `refused`: the market did not send the signed payment.',
    }),
    reason: Nullable(Type.String({ description: 'Of `unpaid`, the purchase’s `endReason`; of `refused`, the code of the refusal' })),
    purchaseId: Nullable(Type.String({ description: 'The purchase; null if nothing was reserved' })),
  },
  { title: 'CheckoutAttempt' },
)

/** With a limit of 0, nobody could ever pay. */
const mostLamports = Type.String({
  ...keywords({ mustBe: 'a whole number of lamports above 0, as text' }),
  description: 'The most that the player may pay in all, the fee included',
  pattern: '^0*[1-9][0-9]*$',
  maxLength: 20,
})

const NewCheckout = Type.Object(
  {
    tokenType: requiredToken,
    amount,
    maxLamports: Type.Optional(mostLamports),
    wallet: Type.Optional(walletAddress),
    clientReference: Type.Optional(
      RequiredText(`your own name for it, at most ${MAX_CLIENT_REFERENCE} characters`, MAX_CLIENT_REFERENCE, {
        description: 'Your own name for it, such as an order number: replies, sales and webhooks carry it',
      }),
    ),
    returnUrl: RequiredText('the https address of your game that the player returns to', MAX_RETURN_URL, {
      description: 'Where the player returns to: https, or http on a loopback address, of an origin in `CHECKOUT_ORIGINS`',
    }),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        ...keywords({ mustBe: `from ${least} to ${most}` }),
        minimum: least,
        maximum: most,
        default: usual,
        description: 'How long a payment may be reserved for it',
      }),
    ),
    idempotencyKey: RequiredText(`at most ${MAX_IDEMPOTENCY_KEY} characters, one for each checkout`, MAX_IDEMPOTENCY_KEY, {
      description: 'Your own name for this call: repeated, it returns the checkout that was made first',
    }),
  },
  { ...closed, title: 'NewCheckout' },
)

const CheckoutReply = Type.Object({ checkout: CheckoutSchema })
const checkoutParams = idParams('The checkout')

/** For a checkout that is paid. */
export const checkoutFailures = [
  'CHECKOUT_NOT_FOUND',
  'CHECKOUT_PAID',
  'CHECKOUT_PAYING',
  'CHECKOUT_EXPIRED',
  'CHECKOUT_OTHER_WALLET',
  'CHECKOUT_DIFFERS',
] as const

/** In the body of a call that pays for a checkout. */
export const paidCheckout = Type.Optional(
  RequiredText('the public identifier of a checkout', 64, {
    description: 'The checkout that this pays for, by the end of its address: the items are then exactly its item and amount',
  }),
)

export const checkoutCalls = {
  createCheckout: {
    summary: 'Make a checkout: send the player to its `url` to pay for an item of your game',
    description:
      'The player buys from the market, at the best price there is when they pay. Believe the webhook `checkout.completed` or this ' +
      'checkout’s `status`, never the address that the player returns to. `409 CHECKOUT_OFF` until the operator has set `CHECKOUT_ORIGINS`.',
    body: NewCheckout,
    response: { 201: CheckoutReply },
    failures: [
      'CHECKOUT_OFF',
      'TOKEN_TYPE_UNKNOWN',
      'AMOUNT_INVALID',
      'WALLET_ADDRESS_INVALID',
      'WALLET_CANNOT_SIGN',
      'IDEMPOTENCY_KEY_REUSED',
    ],
  },
  studioCheckouts: {
    summary: 'List checkouts',
    description: 'The newest first.',
    querystring: Type.Object(
      {
        status: Type.Optional(CheckoutStatusSchema),
        clientReference: Type.Optional(Type.String({ maxLength: MAX_CLIENT_REFERENCE, description: 'Only those with this name of yours' })),
        ...pageOf,
      },
      closed,
    ),
    response: { 200: Type.Object({ checkouts: Type.Array(CheckoutSchema), nextCursor }) },
    failures: ['CURSOR_INVALID'],
  },
  studioCheckout: {
    summary: 'Read a checkout',
    params: checkoutParams,
    response: { 200: CheckoutReply },
    failures: ['CHECKOUT_NOT_FOUND'],
  },
  expireCheckout: {
    summary: 'End a checkout that nobody has paid',
    description: 'Nobody can pay it from then on. Of one that has expired, the same answer again.',
    params: checkoutParams,
    querystring: logReasonQuery,
    response: { 200: CheckoutReply },
    failures: ['CHECKOUT_NOT_FOUND', 'CHECKOUT_PAYING', 'CHECKOUT_PAID'],
  },
  checkoutAttempts: {
    summary: 'Learn why a checkout was not completed',
    description: 'Every attempt to pay it, the newest first, and when its page was opened first.',
    params: checkoutParams,
    response: {
      200: Type.Object({
        openedAt: Nullable(Timestamp('When its page was first opened; null if it never was')),
        attempts: Type.Array(CheckoutAttemptSchema),
      }),
    },
    failures: ['CHECKOUT_NOT_FOUND'],
  },
  checkout: {
    summary: 'Read a checkout as its player',
    params: Type.Object({ publicId: RequiredText('the public identifier of a checkout', 64, { description: 'The end of its address' }) }),
    response: { 200: Type.Object({ checkout: PlayerCheckoutSchema }) },
    failures: ['CHECKOUT_NOT_FOUND'],
  },
} as const satisfies Record<string, CallSchema>
