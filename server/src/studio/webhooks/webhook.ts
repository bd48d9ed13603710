import { Failure } from '@juicebar/contract/errors'
import { type Webhook, type WebhookEvent } from '@juicebar/contract/schemas'

import { isPublicAddress, literalAddress } from '../../outgoing/address.ts'

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
  const literal = literalAddress(url)
  if (literal !== undefined && !allowPrivate && !isPublicAddress(literal)) throw refuse('it is not a public one.')
}
