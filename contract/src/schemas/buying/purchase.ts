import Type from 'typebox'

import { Address, FeeSchema, Id, lamports, nextCursor, Nullable, Timestamp, TokenNameSchema, TokenTypeSchema } from '../fields.ts'

/**
 * held: the listing waits for this buyer's payment. settled: paid and delivered. ended: no payment counted
 * (`endReason` says how), or a late one became a case.
 */
export const purchaseStatuses = ['held', 'settled', 'ended'] as const
/**
 * cancelled: by the buyer. lapsed: the time to pay ran out. expired: the recorded payment can no longer land. failed: the chain refused it
 * for good. chain_gone: the local chain was restarted. released: the studio ended it, because nobody could prove whether it was paid.
 */
export const endReasons = ['cancelled', 'lapsed', 'expired', 'failed', 'chain_gone', 'released'] as const
/** How far a purchase has come, for the steps on the screen. */
export const paymentStages = ['none', 'sent', 'confirmed', 'delivered'] as const

export const PurchaseStatusSchema = Type.Enum([...purchaseStatuses], {
  title: 'PurchaseStatus',
  description:
    '`held`: the listing waits for this buyer’s payment, or is reserved for one that is under way. `settled`: paid and delivered. `ended`: no payment counted, and `endReason` says why.',
})

export const SendsThrough = Type.Enum(['server', 'wallet'], {
  title: 'SendsThrough',
  description:
    '`server`: only the market sends the payment. `wallet`: the buyer’s wallet may do so, as for every hold. What an order asks for is ignored; the field ends with 0.4.0.',
})

export const payMillisLeft = 'Milliseconds left to pay; 0 once the time has run out, and unless it is held'
export const reference = 'Add it to the transfer as a read-only account that does not sign'

export const ofSeveral = 'of several items, that of the first'

const soldFields = {
  seller: Address('Who sells it'),
  tokenType: TokenTypeSchema,
  tokenName: TokenNameSchema,
  amount: Type.Integer({ description: 'How many drinks' }),
  lamports,
  price: Type.Number({ description: 'The item, in SOL' }),
}

/** What one payment pays for, as it was agreed. */
export const PurchaseItemSchema = Type.Object(
  {
    listingId: Id('The row that is sold: a listing, or the part that was split off for this purchase'),
    partOf: Nullable(Type.String({ description: 'The listing that it was split from; null for a whole listing' })),
    ...soldFields,
  },
  { title: 'PurchaseItem' },
)

/** As `PurchaseItemSchema`, of a listing that is not reserved yet. */
export const OfferedItemSchema = Type.Object(
  {
    listingId: Id('The listing that it is taken from'),
    partOf: Nullable(Type.String({ description: 'Of a part that is for sale by itself, the listing that it was split from' })),
    ...soldFields,
  },
  { title: 'OfferedItem' },
)

export const items = Type.Array(PurchaseItemSchema, { description: 'All of them are held, paid and delivered together, or none' })

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
          '`cancelled`: by the buyer. `lapsed`: the time to pay ran out. `expired`: the submitted payment can no longer land. `failed`: the chain carried the payment out without effect, so no SOL moved. `chain_gone`: the local chain was restarted. `released`: the studio ended the hold, and `releaseReason` says why.',
      }),
    ),
    stage: Type.Enum([...paymentStages], { title: 'PaymentStage', description: 'How far the payment has come' }),
    signature: Nullable(Type.String({ description: 'The payment’s transaction, once it is known' })),
    reference: Address(reference),
    coSigned: Type.Boolean({
      description: 'Whether only the market can send the payment: the buyer has signed it, and has nothing left to do',
    }),
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
