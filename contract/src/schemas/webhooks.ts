import Type, { type TSchema } from 'typebox'

import { MAX_WEBHOOK_URL, MAX_WEBHOOKS, WEBHOOK_ATTEMPTS, WEBHOOK_DAYS } from '../limits.ts'
import { type CallSchema } from './call.ts'
import { CaseSchema } from './cases.ts'
import { CheckoutSchema } from './checkouts.ts'
import { closed, Flag, Id, idParams, logReason, logReasonQuery, nextCursor, Nullable, pageOf, RequiredText, Timestamp } from './fields.ts'
import { ListingSchema } from './market.ts'
import { SaleSchema } from './studio/sales.ts'

/** What a webhook may be told: the `type` of its messages. */
export const webhookEvents = [
  'sale.settled',
  'sale.reversed',
  'checkout.completed',
  'checkout.expired',
  'case.opened',
  'case.closed',
  'listing.created',
  'listing.removed',
] as const
type WebhookEventName = (typeof webhookEvents)[number]
/** Why a webhook is switched off. */
export const switchOffReasons = ['asked', 'gone', 'failed'] as const

/** What the `data` of a webhook's messages is, by their `type`. */
export const webhookData = {
  'sale.settled': SaleSchema,
  'sale.reversed': SaleSchema,
  'checkout.completed': Type.Object({ checkout: CheckoutSchema }),
  'checkout.expired': Type.Object({ checkout: CheckoutSchema }),
  'case.opened': CaseSchema,
  'case.closed': CaseSchema,
  'listing.created': ListingSchema,
  'listing.removed': ListingSchema,
} as const satisfies Record<WebhookEventName, TSchema>

const WebhookEventSchema = Type.Enum([...webhookEvents], {
  title: 'WebhookEvent',
  description:
    '`sale.settled`: drinks were paid and delivered. `sale.reversed`: the chain has undone the payment. `checkout.completed`: a checkout was paid and delivered. `checkout.expired`: nobody paid it in time. `case.opened`, `case.closed`: a payment that did not end in a delivery. `listing.created`, `listing.removed`: it entered the market, or left it unsold.',
})

const secret = Type.String({
  description: 'What messages are signed with, `whsec_` and 32 bytes in base64. It is shown this once: no call returns it again',
})

const fields = {
  id: Id('The webhook'),
  url: Type.String({ description: 'Where messages are posted' }),
  events: Type.Array(WebhookEventSchema),
  enabled: Type.Boolean({ description: `Whether messages are sent. While they are not, they wait, for ${WEBHOOK_DAYS} days` }),
  switchedOff: Nullable(
    Type.Enum([...switchOffReasons], {
      title: 'SwitchOffReason',
      description: `\`asked\`: by a call. \`gone\`: the receiver answered 410. \`failed\`: ${WEBHOOK_ATTEMPTS} attempts at one message failed.`,
    }),
  ),
  failedAttempts: Type.Integer({ description: 'At the oldest message that is not delivered' }),
  nextAttemptAt: Nullable(Timestamp('When that message is tried again; null if it did not fail')),
  waitingSince: Nullable(Timestamp('How long that message has been waiting; null if all are delivered')),
  secretCount: Type.Integer({ description: 'How many secrets are valid: two for 24 hours after a rotation' }),
  createdAt: Timestamp('When the webhook was made'),
}

export const WebhookSchema = Type.Object(fields, { title: 'Webhook' })

const DeliverySchema = Type.Object(
  {
    id: Id('The attempt'),
    messageId: Id('The message: its `webhook-id`'),
    type: WebhookEventSchema,
    attempt: Type.Integer({ description: 'The first is 1' }),
    sentAt: Timestamp('When it was sent'),
    latencyMillis: Type.Integer({ description: 'Until the answer had arrived, or the attempt was given up' }),
    delivered: Type.Boolean({ description: 'Whether the answer had a status from 200 to 299' }),
    status: Nullable(Type.Integer({ description: 'Of the answer; null if there was none' })),
    error: Nullable(Type.String({ description: 'Why there was no answer, or none that counts' })),
    answer: Type.String({ description: 'The first 1,024 bytes of its body, as text' }),
  },
  { title: 'Delivery' },
)

const webhookParams = idParams('The webhook')
const WebhookReply = Type.Object({ webhook: WebhookSchema })

export const webhookCalls = {
  createWebhook: {
    summary: 'Have events posted to an address of yours',
    description: `By the [Standard Webhooks](https://www.standardwebhooks.com) specification: a message is \`{ type, timestamp, data }\`, signed with the webhook’s secret, and told apart by its \`webhook-id\`. Everything that happens after this call is delivered at least once, in order. There are at most ${MAX_WEBHOOKS} webhooks. The address must be a public one, unless the operator has set \`WEBHOOK_ALLOW_PRIVATE\`.`,
    body: Type.Object(
      {
        url: RequiredText('an http or https URL', MAX_WEBHOOK_URL, { description: 'Where to post messages: an http or https URL' }),
        events: Type.Array(WebhookEventSchema, {
          minItems: 1,
          maxItems: webhookEvents.length,
          uniqueItems: true,
          description: 'Which events',
        }),
        reason: logReason,
      },
      { ...closed, title: 'NewWebhook' },
    ),
    response: { 201: Type.Object({ webhook: Type.Object({ ...fields, secret }, { title: 'CreatedWebhook' }) }) },
    failures: ['WEBHOOK_URL_INVALID', 'TOO_MANY_WEBHOOKS'],
  },
  webhooks: {
    summary: 'List your webhooks, and how far each has come',
    description: 'The oldest first.',
    querystring: Type.Object(pageOf, closed),
    response: { 200: Type.Object({ webhooks: Type.Array(WebhookSchema), nextCursor }, { title: 'WebhooksPage' }) },
    failures: ['CURSOR_INVALID'],
  },
  changeWebhook: {
    summary: 'Switch a webhook off, or on again',
    description: `Switched on, it goes on at once with the oldest message that is not delivered, and has ${WEBHOOK_ATTEMPTS} attempts again.`,
    params: webhookParams,
    body: Type.Object({ enabled: Flag('Whether messages are sent'), reason: logReason }, { ...closed, title: 'WebhookChange' }),
    response: { 200: WebhookReply },
    failures: ['WEBHOOK_NOT_FOUND'],
  },
  deleteWebhook: {
    summary: 'Delete a webhook, its secrets and the record of its deliveries',
    params: webhookParams,
    querystring: logReasonQuery,
    response: { 200: WebhookReply },
    failures: ['WEBHOOK_NOT_FOUND'],
  },
  rotateWebhook: {
    summary: 'Rotate a webhook’s secret',
    description: 'For 24 hours messages carry a signature with each of the two.',
    params: webhookParams,
    querystring: logReasonQuery,
    response: {
      200: Type.Object({ webhook: Type.Object({ id: Id('The webhook'), secret }, { title: 'RotatedWebhook' }) }),
    },
    failures: ['WEBHOOK_NOT_FOUND'],
  },
  webhookDeliveries: {
    summary: 'List what was sent to a webhook, and what it answered',
    description: 'The newest first. The latest 10,000 attempts are kept.',
    params: webhookParams,
    querystring: Type.Object(pageOf, closed),
    response: { 200: Type.Object({ deliveries: Type.Array(DeliverySchema), nextCursor }, { title: 'DeliveriesPage' }) },
    failures: ['WEBHOOK_NOT_FOUND', 'CURSOR_INVALID'],
  },
  replayWebhook: {
    summary: 'Send everything again that came after a message',
    description: `From the message after the named one on, with the same identifiers, as far back as ${WEBHOOK_DAYS} days. Naming a message that is not delivered yet skips it, with all before it. A webhook that is switched off stays so.`,
    params: webhookParams,
    body: Type.Object(
      {
        after: RequiredText('a webhook-id', 64, { description: 'The `webhook-id` of the last message that need not be sent again' }),
        reason: logReason,
      },
      { ...closed, title: 'Replay' },
    ),
    response: { 200: WebhookReply },
    failures: ['WEBHOOK_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  },
} as const satisfies Record<string, CallSchema>
