import Type from 'typebox'

import { AlertSchema } from './alerts/alert-calls.ts'
import { type CallSchema } from './call.ts'
import { Nullable, OneOf } from './fields.ts'
import { ListingSchema } from './market.ts'
import { AnnouncedPause } from './restrictions.ts'

const ListingEvent = Type.Object(
  {
    type: Type.Enum(['listing.created', 'listing.held', 'listing.changed', 'listing.released', 'listing.sold', 'listing.removed']),
    listing: ListingSchema,
  },
  { title: 'ListingEvent', description: 'Sent to everyone.' },
)
const PurchaseChanged = Type.Object(
  { type: Type.Literal('purchase.changed'), purchaseId: Type.String({ description: 'Reload this purchase' }) },
  { title: 'PurchaseChanged', description: 'Sent to buyer and seller.' },
)
const CaseChanged = Type.Object(
  { type: Type.Literal('case.changed'), caseId: Type.String({ description: 'Reload this case' }) },
  { title: 'CaseChanged', description: 'Sent to buyer and seller.' },
)
const BalanceChanged = Type.Object(
  { type: Type.Literal('balance.changed') },
  { title: 'BalanceChanged', description: 'Sent to the wallet’s owner: reload the balances.' },
)
const PauseChanged = Type.Object(
  { type: Type.Literal('pause.changed'), pause: Nullable(AnnouncedPause) },
  { title: 'PauseChanged', description: 'Sent to everyone: the studio has paused the market, or opened it again.' },
)
const BlockChanged = Type.Object(
  { type: Type.Literal('block.changed') },
  {
    title: 'BlockChanged',
    description: 'Sent to the wallet’s owner: the studio has blocked it, or no longer does. Ask `GET /api/auth/me`.',
  },
)
const AlertFired = Type.Object(
  { type: Type.Literal('alert.fired'), alert: AlertSchema },
  { title: 'AlertFired', description: 'Sent to whoever has set the alert: its price is on the market now.' },
)
const Ready = Type.Object(
  { type: Type.Literal('ready') },
  { title: 'StreamReady', description: 'Whatever you load from now on misses no event of this stream.' },
)
const Reset = Type.Object(
  { type: Type.Literal('reset') },
  {
    title: 'StreamReset',
    description:
      'You were away too long, `Last-Event-ID` is not an id of this stream, or events that you saw were lost with the database: reload everything.',
  },
)

const OutageBegan = Type.Object(
  { type: Type.Literal('outage.began'), age: Type.Integer({ minimum: 0, description: 'For so many seconds no change has been heard of' }) },
  {
    title: 'OutageBegan',
    description: 'The database is away: what you show is as old as `age` says. Sent again every 15 seconds; the stream stays open.',
  },
)
const OutageEnded = Type.Object(
  { type: Type.Literal('outage.ended') },
  { title: 'OutageEnded', description: 'The database is back, and you have received whatever has changed.' },
)

const events = [
  ListingEvent,
  PurchaseChanged,
  CaseChanged,
  BalanceChanged,
  PauseChanged,
  BlockChanged,
  AlertFired,
  Ready,
  Reset,
  OutageBegan,
  OutageEnded,
]

export const MarketEventSchema = OneOf(events, {
  title: 'MarketEvent',
  description: 'The JSON in the `data` of a server-sent event',
})

const ServerSentEvent = Type.Object(
  {
    id: Type.String({ description: 'Send the last one that you saw as `Last-Event-ID` to resume, to any server' }),
    event: Type.String({ description: 'The `type` of the event in `data`' }),
    data: Type.String({ contentMediaType: 'application/json', contentSchema: MarketEventSchema }),
  },
  { title: 'ServerSentEvent', description: 'The fields of one event of the stream' },
)

export const eventCalls = {
  events: {
    summary: 'Stream server-sent events; resume with Last-Event-ID',
    description:
      'With a session the stream also carries that wallet’s own events. `ready` is the first event, or the first after those you missed. A comment arrives every 15 seconds. The browser’s `EventSource` cannot send a session, so read the stream with `fetch`.',
    sessionOptional: true,
    failures: [],
    documented: {
      headers: { 'Last-Event-ID': Type.String({ description: 'The `id` of the last event that the client saw' }) },
      replies: {
        200: {
          description: 'A stream that does not end by itself',
          content: { 'text/event-stream': Type.Array(ServerSentEvent) },
        },
      },
    },
  },
} as const satisfies Record<string, CallSchema>
