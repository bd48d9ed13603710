import Type from 'typebox'

import { LISTINGS_PAGE, MAX_LEDGER_PAGE } from '../../limits.ts'
import { type CallSchema } from '../call.ts'
import {
  Address,
  closed,
  lamports,
  nextCursor,
  Nullable,
  pageLimit,
  pageOf,
  repliedLamports,
  Timestamp,
  TokenTypeSchema,
} from '../fields.ts'

/** Why drinks came to a player or left: bought and sold on the market, credited and used by the studio's game. */
export const ledgerKinds = ['bought', 'sold', 'credited', 'used'] as const

const amount = Type.Integer({ description: 'How many drinks' })
const basis = repliedLamports('What they had cost, with the fee')

const LedgerEntrySchema = Type.Object(
  {
    id: Type.String({ description: 'The id of the trade, or the ledger’s number of what the studio posted' }),
    kind: Type.Enum([...ledgerKinds], {
      title: 'LedgerKind',
      description: 'bought, sold: on the market. credited, used: posted by the studio, used as a rule in the game',
    }),
    tokenType: TokenTypeSchema,
    amount,
    lamports: repliedLamports('What the seller received for them; 0 if nothing was paid'),
    feeLamports: repliedLamports('Of what was bought, its share of the studio’s fee, which was paid on top'),
    signature: Nullable(Type.String({ description: 'The payment, of what was traded' })),
    counterparty: Nullable(Address('Whom it was bought from or sold to; null for the studio')),
    undone: Type.Boolean({
      description: 'The chain has undone the payment: the drinks were delivered, and nothing was paid for them',
    }),
    at: Timestamp('When the drinks moved'),
  },
  { title: 'LedgerEntry' },
)

const Cost = Type.Object({ amount, basis }, { title: 'DrinksAtCost' })

const DrinkProfitSchema = Type.Object(
  {
    tokenType: TokenTypeSchema,
    bought: Type.Object(
      { amount, basis, fee: lamports },
      { title: 'DrinksBought', description: 'What came from other players; `fee` is the part of the basis that was the studio’s' },
    ),
    credited: Type.Object(
      { amount },
      { title: 'DrinksCredited', description: 'What came for nothing, from the studio or for a payment that the chain has undone' },
    ),
    sold: Type.Object(
      {
        amount,
        basis,
        lamports: repliedLamports('What was received for them'),
        profit: Type.String({ pattern: '^-?[0-9]+$', description: 'What was received less the basis, in lamports' }),
      },
      { title: 'DrinksSold' },
    ),
    used: Type.Object(Cost.properties, { title: 'DrinksUsed', description: 'What the studio took, at cost: neither a gain nor a loss' }),
    lost: Type.Object(Cost.properties, {
      title: 'DrinksLost',
      description: 'What was delivered for payments that the chain has undone, at cost',
    }),
    held: Type.Object(Cost.properties, { title: 'DrinksHeld', description: 'What is left, with what is for sale' }),
  },
  { title: 'DrinkProfit' },
)

export const ledgerCalls = {
  profit: {
    summary: 'Read what you have earned with each drink',
    description:
      'First in, first out: the drinks you have had longest leave first. What you bought costs its price and its share of the fee; what the studio ' +
      'credited costs nothing. Fees of the network are not known here. All sums are exact: what was bought is what the drinks sold, used, lost and held had cost.',
    response: {
      200: Type.Object(
        {
          drinks: Type.Array(DrinkProfitSchema, { description: 'Of every drink that you ever had' }),
          complete: Type.Boolean({ description: 'Whether all sales are counted yet; false only for moments, and after an upgrade' }),
        },
        { title: 'Profit' },
      ),
    },
    failures: [],
  },
  myLedger: {
    summary: 'List what came to you and what left you',
    description:
      'Everything bought, sold, credited and used, the oldest first. What you list, take back, hold or are refunded is not in it, for it changes nothing ' +
      'about whose the drinks are.',
    querystring: Type.Object({ ...pageOf, limit: pageLimit({ usual: LISTINGS_PAGE, most: MAX_LEDGER_PAGE }) }, closed),
    response: { 200: Type.Object({ entries: Type.Array(LedgerEntrySchema), nextCursor }, { title: 'LedgerPage' }) },
    failures: ['CURSOR_INVALID'],
  },
} as const satisfies Record<string, CallSchema>
