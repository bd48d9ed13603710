import Type from 'typebox'

import { MAX_STATS_HOURS } from '../../limits.ts'
import { type CallSchema } from '../call.ts'
import { closed, lamports, Nullable, optionalTime, Timestamp, TokenTypeSchema } from '../fields.ts'

export const statsGroups = ['day', 'hour', 'tokenType'] as const

export const StatsRowSchema = Type.Object(
  {
    day: Type.Optional(Type.String({ format: 'date', description: 'A day in UTC, if grouped by day' })),
    hour: Type.Optional(Timestamp('When an hour of UTC begins, if grouped by hour')),
    tokenType: Type.Optional(TokenTypeSchema),
    sales: Type.Integer({ description: 'Settled items, without those whose payment the chain undid' }),
    amount: Type.Integer({ description: 'How many drinks these were' }),
    buyers: Type.Integer({ description: 'How many wallets bought them' }),
    volumeLamports: lamports,
    medianUnitPrice: Nullable(
      Type.Number({ description: 'The median over these sales of the price of one drink, in SOL; null without any' }),
    ),
    feesLamports: lamports,
    credited: Type.Integer({ description: 'How many drinks the studio credited' }),
    debited: Type.Integer({ description: 'How many drinks the studio debited' }),
  },
  { title: 'StatsRow' },
)

const StatsReply = Type.Object({ stats: Type.Array(StatsRowSchema, { description: 'In order of day, hour or drink' }) }, { title: 'Stats' })

export const statsCalls = {
  studioStats: {
    summary: 'Read what was sold, credited and debited',
    description: `By UTC day, by hour or by drink, from \`from\` on and before \`to\`; rows without anything are left out. By hour, the two are at most ${MAX_STATS_HOURS} hours apart. A sale is of the day and hour of its delivery, and one whose payment the chain undid leaves the figures again. \`Accept: text/csv\` returns the same as CSV.`,
    querystring: Type.Object(
      {
        from: optionalTime(
          `The first moment, as a date (in UTC) or a time; by default 30 days before \`to\`, or ${MAX_STATS_HOURS} hours by hour`,
        ),
        to: optionalTime('The moment after the last, as a date (in UTC) or a time; by default now'),
        group: Type.Optional(Type.Enum([...statsGroups], { title: 'StatsGroup', description: 'What a row is of; `day` by default' })),
      },
      closed,
    ),
    response: { 200: StatsReply },
    failures: [],
    documented: {
      replies: {
        200: {
          content: {
            'application/json': StatsReply,
            'text/csv': Type.String({ description: 'A line of names, then a line for each row' }),
          },
        },
      },
    },
  },
} as const satisfies Record<string, CallSchema>
