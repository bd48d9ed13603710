import Type from 'typebox'

import { MAX_CANDLES, MAX_LEVELS, MAX_SALES_PAGE, SALES_PAGE } from '../../limits.ts'
import { type CallSchema } from '../call.ts'
import {
  closed,
  documentedFresh,
  documentedPage,
  nextCursor,
  Nullable,
  optionalTime,
  pageLimit,
  pageOf,
  repliedLamports,
  requiredToken,
  Timestamp,
  tokenFilter,
  TokenTypeSchema,
} from '../fields.ts'

export const candleSteps = ['5m', '1h', '1d'] as const

const sol = (description: string) => Type.Number({ description: `${description}, in SOL` })
const one = 'rounded to nine decimals'

const TradeSchema = Type.Object(
  {
    id: Type.String({
      description: 'The purchase, and which of its items this is, in two digits. Of trades at the same time, the larger is the newer',
    }),
    tokenType: TokenTypeSchema,
    amount: Type.Integer({ description: 'How many drinks' }),
    price: sol('All of them, without the fee'),
    unitPrice: sol(`One drink, ${one}`),
    lamports: repliedLamports('What the seller received'),
    feeLamports: repliedLamports('Its share of the studio’s fee, which the buyer paid on top'),
    signature: Type.String({ description: 'The payment: a transaction that anybody can look up on the chain' }),
    coSigned: Type.Boolean({ description: 'Whether only the market could send the payment, since it has signed it as well' }),
    settledAt: Timestamp('When the drinks were delivered'),
  },
  { title: 'Trade' },
)

const UnmatchedSchema = Type.Object(
  {
    signature: Type.String({ description: 'The payment: a transaction that anybody can look up on the chain' }),
    openedAt: Timestamp('When it became a case'),
  },
  { title: 'UnmatchedPayment' },
)

const CandleSchema = Type.Object(
  {
    start: Timestamp('When the step begins, in UTC'),
    open: sol(`One drink of the first trade, ${one}`),
    high: sol('One drink of the dearest trade'),
    low: sol('One drink of the cheapest trade'),
    close: sol('One drink of the last trade'),
    amount: Type.Integer({ description: 'How many drinks were traded' }),
    sol: sol('What was paid for them, without fees'),
    trades: Type.Integer({ description: 'How many trades' }),
    average: sol(`\`sol\` divided by \`amount\`, ${one}`),
  },
  { title: 'Candle' },
)

const LevelSchema = Type.Object(
  {
    unitPrice: sol(`One drink, ${one}`),
    lamports: repliedLamports('The same'),
    amount: Type.Integer({ description: 'How many drinks are for sale at this price' }),
    listings: Type.Integer({ description: 'In how many listings' }),
  },
  { title: 'Level' },
)

const floor = Nullable(sol('What the cheapest drink for sale costs; null if none is'))

const SummaryItemSchema = Type.Object(
  {
    tokenType: TokenTypeSchema,
    floor,
    last: Nullable(sol('One drink of the last trade; null before the first')),
    change24h: Nullable(
      Type.Number({
        description: 'How far `last` is above the last price at or before 24 hours ago, as a fraction of that; null without one',
      }),
    ),
    volume24h: sol('What was paid in the last 24 hours, without fees'),
    amount: Type.Integer({ description: 'How many drinks are for sale' }),
  },
  { title: 'SummaryItem' },
)

const kept = 'A trade whose payment the chain has undone is left out, also afterwards.'

export const figureCalls = {
  trades: {
    summary: 'List what was traded, the newest first',
    description:
      `Each settled item of a purchase is a trade. ${kept} Trades that come between two pages are neither skipped nor repeated. A page may be short ` +
      'although another follows.',
    querystring: Type.Object({ tokenType: Type.Optional(tokenFilter), ...pageOf }, closed),
    response: { 200: Type.Object({ trades: Type.Array(TradeSchema), nextCursor }, { title: 'TradesPage' }) },
    failures: ['TOKEN_TYPE_UNKNOWN', 'CURSOR_INVALID'],
    documented: documentedPage,
  },
  unmatched: {
    summary: 'Follow the co-signed payments that became cases',
    description:
      'The market has signed these payments, and they are no trades, or were none at first: each became a case of its buyer. With the co-signed trades they are ' +
      'all that the market’s keys have signed, which anybody can compare with the chain. In one order that never changes: pass `next` as `after`, for ' +
      'ever, and none is missed. After a restore of the database, a place that it no longer has is refused with `CURSOR_EPOCH`: begin again without `after`.',
    querystring: Type.Object(
      {
        after: Type.Optional(Type.String({ maxLength: 64, description: 'The `next` of the reply before; leave it out to begin' })),
        limit: pageLimit({ usual: SALES_PAGE, most: MAX_SALES_PAGE }),
      },
      closed,
    ),
    response: {
      200: Type.Object(
        { payments: Type.Array(UnmatchedSchema), next: Type.String({ description: 'Where to go on, now or later; never null' }) },
        { title: 'UnmatchedPage' },
      ),
    },
    failures: ['CURSOR_INVALID', 'CURSOR_EPOCH'],
  },
  candles: {
    summary: 'Read the prices of a drink over time',
    description:
      `Steps of 5 minutes, an hour or a day, each beginning at a multiple of it since midnight in UTC. Those that begin at or after \`from\` and before \`to\` ` +
      `are returned, at most ${MAX_CANDLES}; steps without a trade are left out. \`settledAt\` decides to which step a trade belongs, then the id ` +
      `which of several is the first or last. ${kept}`,
    querystring: Type.Object(
      {
        tokenType: requiredToken,
        step: Type.Enum([...candleSteps], { title: 'CandleStep', description: 'The length of a step' }),
        from: optionalTime('The first moment, as a date (in UTC) or a time; by default a day, a week or a year before `to`, by the step'),
        to: optionalTime('The moment after the last, as a date (in UTC) or a time; by default now'),
      },
      closed,
    ),
    response: {
      200: Type.Object(
        { candles: Type.Array(CandleSchema, { description: 'The oldest first', maxItems: MAX_CANDLES }) },
        { title: 'Candles' },
      ),
    },
    failures: ['FIELDS_MISSING', 'TOKEN_TYPE_UNKNOWN'],
    documented: documentedPage,
  },
  depth: {
    summary: 'Read how much of a drink is for sale at which price',
    description: 'Listings that a buyer holds, or whose seller’s listings are frozen, are not counted. Never a copy of an earlier time.',
    querystring: Type.Object({ tokenType: requiredToken }, closed),
    response: {
      200: Type.Object(
        {
          levels: Type.Array(LevelSchema, { description: `The ${MAX_LEVELS} cheapest prices, in order`, maxItems: MAX_LEVELS }),
          floor,
          amount: Type.Integer({ description: 'How many drinks are for sale in all, those beyond the last level included' }),
        },
        { title: 'Depth' },
      ),
    },
    failures: ['FIELDS_MISSING', 'TOKEN_TYPE_UNKNOWN'],
    documented: documentedFresh,
  },
  summary: {
    summary: 'Read price, change, volume and offer of every drink',
    description: `For sale is what \`depth\` counts. ${kept}`,
    response: { 200: Type.Object({ items: Type.Array(SummaryItemSchema) }, { title: 'Summary' }) },
    failures: [],
    documented: documentedPage,
  },
} as const satisfies Record<string, CallSchema>
