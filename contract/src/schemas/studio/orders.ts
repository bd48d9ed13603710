import Type from 'typebox'

import { MAX_IDEMPOTENCY_KEY, MAX_ORDERS, MAX_ORDERS_BYTES } from '../../limits.ts'
import { type CallSchema, type Keywords } from '../call.ts'
import { amount, closed, OneOf, orderReason, requiredToken, RequiredText, walletAddress } from '../fields.ts'
import { StudioOrder } from '../inventory.ts'

const keywords = (own: Keywords) => own

const orderFields = {
  walletAddress,
  tokenType: requiredToken,
  amount,
  idempotencyKey: RequiredText(`at most ${MAX_IDEMPOTENCY_KEY} characters, one for each order`, MAX_IDEMPOTENCY_KEY, {
    description:
      'Your own name for this order. The same one never moves tokens twice: it returns the order posted first. A studio key with a daily limit has names of its own.',
  }),
  reason: orderReason,
}

const StudioOrderBody = Type.Object(orderFields, { ...closed, title: 'StudioOrderRequest' })

/** One of the orders of a call, checked individually. */
export const OrderOfManySchema = Type.Object(
  { direction: Type.Enum(['credit', 'debit'], { description: 'Whether drinks enter or leave the market' }), ...orderFields },
  { ...closed, title: 'OrderOfMany' },
)

/** The call accepts any items, and answers each invalid one with the reason. */
const AnyOrder = Type.Union([OrderOfManySchema, Type.Unknown({ description: 'Whatever is no order is refused, for itself' })])

const balance = Type.Integer({ description: 'How many drinks of this kind the wallet has after it, without those in its active listings' })
const retry = 'Retry as often as you like: a repeated `idempotencyKey` returns the first result and moves nothing.'

const orderFailures = ['WALLET_ADDRESS_INVALID', 'TOKEN_TYPE_UNKNOWN', 'AMOUNT_INVALID', 'IDEMPOTENCY_KEY_REUSED'] as const

export const orderCalls = {
  studioCredit: {
    summary: 'Credit tokens to a wallet',
    description: `${retry} The wallet must have a private key: addresses of programs’ accounts are refused.`,
    body: StudioOrderBody,
    response: { 200: Type.Object({ credit: StudioOrder, balance }) },
    failures: [...orderFailures, 'WALLET_CANNOT_SIGN', 'BALANCE_LIMIT', 'DAILY_LIMIT'],
  },
  studioDebit: {
    summary: 'Debit tokens from a wallet',
    description: retry,
    body: StudioOrderBody,
    response: { 200: Type.Object({ debit: StudioOrder, balance }) },
    failures: [...orderFailures, 'INSUFFICIENT_TOKENS'],
  },
  studioOrders: {
    summary: 'Credit and debit many wallets in one call',
    description: `At most ${MAX_ORDERS} orders, carried out in their order, each for itself: the results are in the same order, and an order that is refused changes nothing about the others. Each direction needs its own scope. ${retry}`,
    body: Type.Object(
      {
        orders: Type.Array(Type.Unknown(keywords({ documentedAs: AnyOrder })), {
          ...keywords({ mustBe: `a list of 1 to ${MAX_ORDERS} orders` }),
          minItems: 1,
          maxItems: MAX_ORDERS,
        }),
      },
      { ...closed, title: 'StudioOrdersRequest' },
    ),
    maxBodyBytes: MAX_ORDERS_BYTES,
    response: {
      200: Type.Object({
        results: Type.Array(
          OneOf(
            [
              Type.Object({ order: StudioOrder, balance }, { title: 'OrderPosted' }),
              Type.Object(
                {
                  error: Type.String({ description: 'For people' }),
                  code: Type.String({ description: 'As of a call for this order alone' }),
                },
                { title: 'OrderRefused' },
              ),
            ],
            { title: 'OrderResult' },
          ),
        ),
      }),
    },
    failures: [],
  },
} as const satisfies Record<string, CallSchema>
