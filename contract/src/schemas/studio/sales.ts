import Type from 'typebox'

import { MAX_SALES_PAGE, SALES_PAGE } from '../../limits.ts'
import { type CallSchema } from '../call.ts'
import { Address, closed, FeeSchema, Id, lamports, Nullable, pageLimit, Timestamp, TokenTypeSchema } from '../fields.ts'

export const SaleSchema = Type.Object(
  {
    saleId: Id('The sale: the same in every reply, and in webhooks'),
    reverses: Nullable(
      Type.String({ description: 'Of a sale whose payment the chain has undone: the `saleId` of its first entry. Null for a sale' }),
    ),
    purchaseId: Id('The purchase that it was part of'),
    listingId: Id('What was sold: a listing, or the part that was split off'),
    buyer: Address('Who paid'),
    seller: Address('Who was paid'),
    tokenType: TokenTypeSchema,
    amount: Type.Integer({ description: 'How many drinks' }),
    lamports,
    fee: FeeSchema,
    signature: Type.String({ description: 'The payment’s transaction, which may have paid for several sales' }),
    settledAt: Timestamp('When the drinks moved; of a reversal, when the market found out'),
    checkout: Nullable(
      Type.Object(
        { id: Id('The checkout'), clientReference: Nullable(Type.String({ description: 'Your own name for it' })) },
        { title: 'SoldCheckout', description: 'The checkout that it was sold through; null for a sale in the market' },
      ),
    ),
  },
  {
    title: 'Sale',
    description: 'One item of a settled purchase. Its fee is its share: those of a purchase’s items add up to what the buyer paid',
  },
)

export const salesCalls = {
  studioSales: {
    summary: 'Follow all sales',
    description:
      'Every item ever settled, in one order that never changes: pass `next` as `after`, for ever, and no sale is missed and none comes twice. With nothing new, `next` equals `after`. A delivered payment that the chain undid is told by an entry of its own, with `reverses`. After a restore of the database, a place that it no longer has is refused with `CURSOR_EPOCH`: begin again without `after`, and skip what you have by `saleId`.',
    querystring: Type.Object(
      {
        after: Type.Optional(Type.String({ maxLength: 64, description: 'The `next` of the reply before; leave it out to begin' })),
        limit: pageLimit({ usual: SALES_PAGE, most: MAX_SALES_PAGE }),
      },
      closed,
    ),
    response: {
      200: Type.Object(
        { sales: Type.Array(SaleSchema), next: Type.String({ description: 'Where to go on, now or later; never null' }) },
        { title: 'SalesPage' },
      ),
    },
    failures: ['CURSOR_INVALID', 'CURSOR_EPOCH'],
  },
} as const satisfies Record<string, CallSchema>
