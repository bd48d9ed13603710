import Type from 'typebox'

import { type CallSchema } from '../call.ts'
import { closed, Id, nextCursor, Nullable, pageOf, Timestamp, TokenTypeSchema } from '../fields.ts'

const LoggedOrder = Type.Object(
  {
    direction: Type.Enum(['credit', 'debit'], { description: 'Whether drinks entered or left the market' }),
    tokenType: TokenTypeSchema,
    amount: Type.Integer({ description: 'How many drinks' }),
  },
  { title: 'LoggedOrder' },
)

const LogEntrySchema = Type.Object(
  {
    id: Id('The entry'),
    key: Type.String({ description: 'The name of the key that was used; `root key` is `STUDIO_API_KEY`. Of the staff: the wallet' }),
    wallet: Nullable(Type.String({ description: 'The wallet, if it was one of the staff; else null' })),
    call: Type.String({ description: 'The call: its `operationId` in this document' }),
    subject: Type.String({ description: 'What it changed: the wallet, the case, the purchase, the key and so on' }),
    orderId: Nullable(Type.String({ description: 'Of a credit or debit: its `id`' })),
    order: Nullable(LoggedOrder),
    reason: Nullable(Type.String({ description: 'Why, in the words of the caller' })),
    time: Timestamp('When'),
  },
  { title: 'LogEntry' },
)

export const logCalls = {
  studioLog: {
    summary: 'Read who did what through the studio API',
    description: 'Every write that changed something, the newest first. Entries are never changed.',
    querystring: Type.Object(pageOf, closed),
    response: { 200: Type.Object({ log: Type.Array(LogEntrySchema), nextCursor }) },
    failures: ['CURSOR_INVALID'],
  },
} as const satisfies Record<string, CallSchema>
