import Type from 'typebox'

import { SignedTransaction, Submitted } from './buying/buying-calls.ts'
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
  Timestamp,
  TokenNameSchema,
  TokenTypeSchema,
} from './fields.ts'

/**
 * late: landed after the hold had ended. wrong: another amount or shape than agreed. double: a second payment for one purchase.
 * vanished: the network dropped a payment for which tokens had moved. lost: found on the chain after a restore, for a purchase that the database lost.
 */
export const caseKinds = ['late', 'wrong', 'double', 'vanished', 'lost'] as const
export const caseStatuses = ['open', 'refunding', 'delivered', 'refunded', 'closed'] as const

export const CaseSchema = Type.Object(
  {
    caseId: Id('The case'),
    kind: Type.Enum([...caseKinds], {
      title: 'CaseKind',
      description:
        '`late`: landed after the hold had ended. `wrong`: another amount or shape than agreed. `double`: a second payment for one purchase. `vanished`: the network dropped a payment for which tokens had moved. `lost`: found on the chain after a restore of the database, which no longer has the purchase: nobody knows which drinks it was for, and until the case is closed the seller’s listings are neither sold nor returned.',
    }),
    status: Type.Enum([...caseStatuses], {
      title: 'CaseStatus',
      description: '`open` and `refunding` wait for someone; the others are closed.',
    }),
    explanation: Type.String({ description: 'What happened and what to do, for people' }),
    purchaseId: Nullable(Id('The purchase that the payment was for; null if it was lost')),
    listingId: Nullable(Id('What the buyer wanted; null if the purchase was lost')),
    buyer: Address('Who paid'),
    seller: Nullable(Address('Who was paid; null if only the studio’s fee was')),
    tokenType: Nullable(TokenTypeSchema),
    tokenName: Nullable(TokenNameSchema),
    amount: Nullable(Type.Integer({ description: 'How many drinks' })),
    price: Type.Number({ description: 'What the seller received, in SOL' }),
    lamports,
    agreedLamports: Nullable(
      Type.String({
        description: 'What the buyer had agreed to pay the seller, without the fee, in lamports',
        pattern: '^[0-9]+$',
      }),
    ),
    fee: Nullable(
      Type.Object(
        { lamports, owedTo: Address('To whom the studio owes it') },
        {
          title: 'OwedFee',
          description: 'The fee that the same transaction paid. The seller cannot return it; the studio owes it to the buyer',
        },
      ),
    ),
    signature: Type.String({ description: 'The payment’s transaction' }),
    refundSignature: Nullable(Type.String({ description: 'The refund’s transaction, once it was submitted' })),
    refundable: Type.Boolean({ description: 'The seller may refund it now' }),
    openedAt: Timestamp('When the server found the payment'),
    closedAt: Nullable(Timestamp('When the case was closed')),
    note: Nullable(Type.String({ description: 'What the studio wrote when it closed the case' })),
  },
  { title: 'Case' },
)

const RefundDetails = Type.Object(
  {
    caseId: Id('The case'),
    buyer: Address('Who gets the SOL back'),
    price: Type.Number({ description: 'The refund, in SOL' }),
    lamports,
    reference: Address('Already part of `transaction`; ties the refund to the case'),
    coSigner: Nullable(
      Address('Already part of `transaction`: the market’s own key, which signs after the seller; null without `coSigned`'),
    ),
    transaction: Type.String({ description: 'The unsigned refund in base64: the seller signs and submits it' }),
  },
  { title: 'RefundDetails' },
)

const RefundOptions = Type.Object(
  {
    coSigned: Type.Optional(
      Type.Boolean({
        description:
          'The refund that is prepared can only be sent by the market, which signs it once nothing can be delivered any more. For wallets that sign without sending',
      }),
    ),
  },
  { ...closed, title: 'RefundOptions' },
)

export const CasesPage = Type.Object({ cases: Type.Array(CaseSchema), nextCursor }, { title: 'CasesPage' })

export const caseCalls = {
  cases: {
    summary: 'List your cases: payments that did not end in a delivery',
    description: 'As buyer and as seller; those that wait for someone come first.',
    querystring: Type.Object(pageOf, closed),
    response: { 200: CasesPage },
    failures: ['CURSOR_INVALID'],
  },
  prepareRefund: {
    summary: 'Prepare the refund of a case, as an unsigned transaction',
    description:
      'For the seller. Waits for some seconds if the payment has just landed, until the network can no longer drop it. Asking again returns the same reference with a fresh blockhash. With `coSigned`, the listing may still be delivered until the signed refund is submitted; without it, nothing is delivered until the refund that was prepared can no longer land.',
    params: idParams('The case'),
    body: Type.Optional(Type.Union([Type.Null(), RefundOptions])),
    response: { 200: Type.Object({ refundDetails: RefundDetails }) },
    failures: ['CASE_NOT_FOUND', 'NOT_YOUR_REFUND', 'CASE_NOT_OPEN', 'PAYMENT_NOT_FINAL', 'CO_SIGN_OFF', ...chainFailures],
  },
  submitRefund: {
    summary: 'Submit the signed refund for the server to send',
    description:
      'For the seller. After an error nothing was sent; after `DATABASE_DOWN` it may still be, so submit the same bytes again, as often as you like. Of a refund with a co-signer, the seller’s signature is in place and the co-signer’s is empty; `PAYMENT_EXPIRED`: prepare it again.',
    params: idParams('The case'),
    body: SignedTransaction,
    response: { 200: Submitted },
    failures: ['CASE_NOT_FOUND', 'NOT_YOUR_REFUND', 'CASE_NOT_OPEN', 'CO_SIGN_OFF', 'PAYMENT_REFUSED', 'PAYMENT_EXPIRED', ...chainFailures],
  },
} as const satisfies Record<string, CallSchema>
