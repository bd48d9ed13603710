import { createHmac, randomBytes } from 'node:crypto'
import { Failure } from '@juicebar/contract/errors'
import { type Webhook, type WebhookEvent, type Case } from '@juicebar/contract/schemas'
import { type CheckoutRow, checkoutReply, endedCheckout } from '../../checkouts/checkout.ts'
import { type Outcome } from '../../outgoing/post-message.ts'
import { type CaseState } from '../../purchases/cases/case-store.ts'
import { reversalOf, saleReply, type SaleRow } from '../sales/sale.ts'
import { namesPrivateAddress } from '../../outgoing/address.ts'

export interface WebhookRow {
  id: string
  url: string
  events: WebhookEvent[]
  enabled: boolean
  switchedOff: Webhook['switchedOff']
  failedAttempts: number
  attemptAt: Date | null
  waitingSince: Date | null
  secretCount: number
  createdAt: Date
}

/** A webhook as the API returns it. */
export function webhookReply({ attemptAt, waitingSince, createdAt, ...row }: WebhookRow): Webhook {
  return {
    ...row,
    nextAttemptAt: row.enabled ? (attemptAt?.toISOString() ?? null) : null,
    waitingSince: waitingSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}

/**
 * Refuses URLs that cannot be posted to, and literal private addresses, however they are written. The addresses of a name are checked on
 * each connection.
 * @throws WEBHOOK_URL_INVALID
 */
export function requireWebhookUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): void {
  const refuse = (detail: string) => new Failure('WEBHOOK_URL_INVALID', { detail })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw refuse('it must be an http or https URL.')
  if (url.username || url.password) throw refuse('it must not contain a user name or a password.')
  if (!allowPrivate && namesPrivateAddress(url)) throw refuse('it is not a public one.')
}

const SECOND = 1
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long to wait after the first failed attempt, the second and so on, in seconds. After one more, the webhook is switched off. */
export const RETRY_SECONDS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** The receiver wants no more messages. */
const GONE = 410

/** Whether the receiver accepted the message. */
export function isDelivered({ status }: Pick<Outcome, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

/** The consequence of a failed attempt. */
export type AfterFailure = { retrySeconds: number } | { switchOff: 'gone' | 'failed' }

/** @param failedAttempts at this message, including this one */
export function afterFailure({ status }: Pick<Outcome, 'status'>, failedAttempts: number, waits = RETRY_SECONDS): AfterFailure {
  if (status === GONE) return { switchOff: 'gone' }
  const retrySeconds = waits[failedAttempts - 1]
  return retrySeconds === undefined ? { switchOff: 'failed' } : { retrySeconds }
}

const PREFIX = 'whsec_'
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32

/** A new secret, as the receiver is given it. */
export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

export interface SignedContent {
  /** The `webhook-id`. */
  id: string
  /** The `webhook-timestamp`, in seconds since 1970. */
  timestamp: number
  body: string
}

/** The `webhook-signature` of a message: one signature for each secret. */
export function signMessage(secrets: readonly string[], { id, timestamp, body }: SignedContent): string {
  const content = `${id}.${timestamp}.${body}`
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(content)
      .digest('base64')
  return secrets.map((secret) => `v1,${sign(secret)}`).join(' ')
}

/** An event, as its transaction recorded it. */
export type NotedEvent = { id: bigint; createdAt: Date } & (
  | { type: 'sale.settled' | 'sale.reversed'; purchaseId: string }
  | { type: 'checkout.completed' | 'checkout.expired'; checkoutId: string }
  | { type: 'listing.created' | 'listing.removed'; listing: object }
  | { type: 'case.opened' | 'case.closed'; state: CaseState }
)

/** A row of `webhook_outbox`: what the triggers of functions/webhooks.sql have noted. */
export interface NotedRow {
  id: bigint
  type: WebhookEvent
  subject: string
  snapshot: unknown
  createdAt: Date
}

/** The event that a row tells of. */
export function readNotedEvent({ id, type, subject, snapshot, createdAt }: NotedRow): NotedEvent {
  const noted = { id, createdAt }
  switch (type) {
    case 'sale.settled':
    case 'sale.reversed':
      return { ...noted, type, purchaseId: subject }
    case 'checkout.completed':
    case 'checkout.expired':
      return { ...noted, type, checkoutId: subject }
    case 'listing.created':
    case 'listing.removed':
      return { ...noted, type, listing: snapshot as object }
    case 'case.opened':
    case 'case.closed': {
      const { closedAt, ...state } = snapshot as Omit<CaseState, 'id' | 'closedAt'> & { closedAt: string | null }
      return { ...noted, type, state: { ...state, id: subject, closedAt: closedAt === null ? null : new Date(closedAt) } }
    }
  }
}

/** Data in messages beyond the recorded events. */
export interface Subjects {
  /** By their purchases. */
  sales: ReadonlyMap<string, readonly SaleRow[]>
  /** By their identifiers. */
  checkouts: ReadonlyMap<string, CheckoutRow>
  /** Of the market, for the addresses of checkouts. */
  publicOrigin: string
  /** By the events that are about them. */
  cases: ReadonlyMap<NotedEvent, Case>
}

export interface NewMessage {
  type: WebhookEvent
  /** The exact bytes to send. */
  body: string
}

/** The messages for an event: one, or one for each item of a sale. */
export function messagesOf(event: NotedEvent, subjects: Subjects): NewMessage[] {
  const { type, createdAt } = event
  return dataOf(event, subjects).map((data) => ({ type, body: JSON.stringify({ type, timestamp: createdAt.toISOString(), data }) }))
}

function dataOf(event: NotedEvent, { sales, checkouts, publicOrigin, cases }: Subjects): object[] {
  switch (event.type) {
    case 'sale.settled':
    case 'sale.reversed': {
      const sold = sales.get(event.purchaseId) ?? []
      return sold.map((sale) => saleReply(event.type === 'sale.reversed' ? reversalOf(sale, event.createdAt) : sale))
    }
    case 'checkout.completed':
    case 'checkout.expired': {
      const checkout = checkouts.get(event.checkoutId)
      const status = event.type === 'checkout.completed' ? 'completed' : 'expired'
      return checkout ? [{ checkout: checkoutReply(endedCheckout(checkout, status), publicOrigin) }] : []
    }
    case 'listing.created':
    case 'listing.removed':
      return [event.listing]
    case 'case.opened':
    case 'case.closed': {
      const told = cases.get(event)
      return told ? [told] : []
    }
  }
}
