import Type from 'typebox'

import { MAX_ITEMS, MAX_SELLERS } from '../../limits.ts'
import { type CallSchema, chainFailures, type Keywords } from '../call.ts'
import { checkoutFailures, paidCheckout } from '../checkouts.ts'
import {
  Address,
  amount,
  closed,
  FeeSchema,
  Id,
  idParams,
  lamports,
  lamportsOf,
  pageOf,
  RequiredText,
  signature,
  signedTransaction,
  Timestamp,
} from '../fields.ts'
import {
  items,
  OfferedItemSchema,
  ofSeveral,
  payMillisLeft,
  PurchaseSchema,
  PurchasesPage,
  PurchaseStatusSchema,
  reference,
  SendsThrough,
} from './purchase.ts'

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

const listOfItems: Keywords = { mustBe: 'a list of listings, each with its listingId' }

const orderedItems = Type.Array(
  Type.Object(
    {
      listingId: RequiredText('a listing identifier', 64, { description: 'The listing' }),
      amount: Type.Optional(amount),
    },
    { ...closed, title: 'OrderedItem', description: 'Without an amount, all that is left of the listing' },
  ),
  { ...listOfItems, minItems: 1, description: `Up to ${MAX_ITEMS} listings, of at most ${MAX_SELLERS} sellers` },
)
const maxLamports = lamportsOf('The most that the buyer pays in all, the fee included')

const OfferSchema = Type.Object(
  {
    items: Type.Array(OfferedItemSchema, { description: 'What is offered, in the order in which it was asked for' }),
    transfers: Type.Array(TransferSchema, { description: 'What one transaction has to pay: one transfer to each seller, and the fee' }),
    fee: FeeSchema,
    lamports,
    price: Type.Number({ description: 'The sum of the items, in SOL' }),
    reference: Address('Add it to each transfer as a read-only account that does not sign. It serves this buyer alone'),
    coSigner: Address('Add it to each transfer as a read-only account that signs; the market signs last'),
    blockhash: Type.String({ description: 'For the transaction' }),
    lastValidBlockHeight: Type.Integer({ description: 'Above this block height, the transaction can no longer be sent' }),
  },
  { title: 'Offer' },
)

const OfferOrder = Type.Object(
  { items: orderedItems, maxLamports: Type.Optional(maxLamports), checkout: paidCheckout },
  { ...closed, title: 'OfferOrder' },
)

const CoSignedPayment = Type.Object(
  {
    items: orderedItems,
    reference: Address('Of the offer'),
    transaction: {
      ...signedTransaction,
      description: 'The transaction in base64, signed by the buyer; the co-signer’s signature is empty',
    },
    checkout: paidCheckout,
  },
  { ...closed, title: 'CoSignedPayment' },
)

const Reserved = Type.Object(
  {
    purchaseId: Id('The purchase'),
    signature: Type.String({ description: 'The transaction’s name on the chain' }),
  },
  { title: 'Reserved' },
)

const PurchaseOrder = Type.Object(
  {
    items: orderedItems,
    maxLamports: Type.Optional(maxLamports),
    sendsThrough: Type.Optional(SendsThrough),
    transfers: Type.Optional(paysTransfers),
    checkout: paidCheckout,
  },
  { ...closed, title: 'PurchaseOrder' },
)

/** Why an order is refused, whoever sends its payment. */
export const orderRefusals = [
  'PAUSED',
  'BLOCKED',
  'RULE_BROKEN',
  'LISTING_NOT_FOUND',
  'OWN_LISTING',
  'LISTING_NOT_ACTIVE',
  'LISTING_HELD',
  'LISTING_FROZEN',
  'HELD_BY_YOU',
  'TOO_MANY_HOLDS',
  'COOLDOWN',
] as const

const holdFailures = [
  'WALLET_SENDS_OFF',
  'REFERENCE_NEEDED',
  ...orderRefusals,
  'TRANSFERS_NEEDED',
  'PART_TOO_SMALL',
  'BALANCE_LIMIT',
  'FEE_WALLET_EMPTY',
  'INSUFFICIENT_SOL',
  'AMBIGUOUS_HOLD',
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

/** Why a payment that only the market can send would not be sent. */
const offerFailures = [
  'CO_SIGN_OFF',
  ...orderRefusals,
  'AMOUNT_INVALID',
  'AMOUNT_NOT_LEFT',
  'NOT_DIVISIBLE',
  'SAME_LISTING_TWICE',
  'TOO_MANY_ITEMS',
  'TOO_MANY_SELLERS',
  'BALANCE_LIMIT',
  'PRICE_MOVED',
  ...checkoutFailures,
  ...chainFailures,
] as const

export const buyingCalls = {
  offer: {
    summary: 'Learn what to pay for listings, with a payment that only the market can send',
    description:
      'Reserves nothing and costs nothing. Sign the transaction and submit it by `POST /api/marketplace/payments`; never send it yourself. ' +
      'A refused item is named by `listingId`.',
    body: OfferOrder,
    response: { 200: Type.Object({ offer: OfferSchema }) },
    failures: offerFailures,
  },
  pay: {
    summary: 'Submit a signed payment: the market reserves what it pays for, signs it too, and sends it',
    description:
      '201 once everything is reserved; the same transaction again gets the same answer with 200. A refusal with a status below 500, other ' +
      'than 429, is final: this transaction will never be sent. After any other failure submit the same transaction again.',
    body: CoSignedPayment,
    response: { 200: Reserved, 201: Reserved },
    failures: [...offerFailures, 'INSUFFICIENT_SOL', 'PAYMENT_REFUSED', 'PAYMENT_EXPIRED', 'REFERENCE_USED'],
    documented: {
      replies: {
        200: { description: 'It was submitted before' },
        201: { description: 'Everything is reserved, and the payment is on its way' },
      },
    },
  },
  myPurchase: {
    summary: 'Read a purchase or sale of yours',
    params: idParams('The purchase'),
    response: { 200: Type.Object({ purchase: PurchaseSchema }) },
    failures: ['PURCHASE_NOT_FOUND'],
  },
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
      ...checkoutFailures,
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
