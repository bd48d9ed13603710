import { type Webhook, type WebhookEvent } from '@juicebar/contract/schemas'

import { isBehind } from '../today/figures.ts'

/** The events of a webhook, in the order of the form. */
export const eventChoices: readonly { event: WebhookEvent; hint: string }[] = [
  { event: 'sale.settled', hint: 'Drinks were paid and delivered' },
  { event: 'sale.reversed', hint: 'The chain has undone a payment' },
  { event: 'checkout.completed', hint: 'A checkout was paid and delivered' },
  { event: 'checkout.expired', hint: 'Nobody paid a checkout in time' },
  { event: 'case.opened', hint: 'A payment did not end in a delivery' },
  { event: 'case.closed', hint: 'A case was closed' },
  { event: 'listing.created', hint: 'A listing entered the market' },
  { event: 'listing.removed', hint: 'A listing was removed unsold' },
]

const offWords: Record<NonNullable<Webhook['switchedOff']>, string> = {
  asked: 'Off',
  gone: 'Off: the receiver said it is gone',
  failed: 'Off: ten attempts failed',
}

type Stands = Pick<Webhook, 'enabled' | 'switchedOff' | 'failedAttempts' | 'waitingSince'>

/** The state of a webhook, in a few words. */
export function webhookState(webhook: Stands, now: number): { word: string; tone: 'good' | 'warn' | 'plain' } {
  if (!webhook.enabled) {
    const reason = webhook.switchedOff ?? 'asked'
    return { word: offWords[reason], tone: reason === 'asked' ? 'plain' : 'warn' }
  }
  if (isBehind(webhook, now)) return { word: webhook.failedAttempts ? 'Fails' : 'Behind', tone: 'warn' }
  return { word: 'Up to date', tone: 'good' }
}
