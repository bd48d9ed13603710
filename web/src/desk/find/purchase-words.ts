import { type EndReason, type StudioPurchase, type TimelineEntry } from '@juicebar/contract/schemas'

import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { formatAmount } from '../../ui/format.ts'

type Stands = Pick<StudioPurchase, 'status' | 'endReason' | 'waitsForStudio'>

export const endWords: Record<EndReason, string> = {
  cancelled: 'Cancelled',
  lapsed: 'Not paid',
  expired: 'Payment expired',
  failed: 'Payment failed',
  chain_gone: 'Earlier chain',
  released: 'Released',
}

/** The state of a purchase, in a few words. */
export function standing({ status, endReason, waitsForStudio }: Stands): { word: string; tone: 'good' | 'warn' | 'plain' } {
  if (status === 'settled') return { word: 'Delivered', tone: 'good' }
  if (status === 'ended') return { word: endReason ? endWords[endReason] : 'Ended', tone: 'plain' }
  return waitsForStudio ? { word: 'Waits for you', tone: 'warn' } : { word: 'Held', tone: 'warn' }
}

/** What was bought: "5 Apple Juice", or "12 drinks" of several kinds. */
export function whatWasBought({ items, amount, tokenName }: Pick<StudioPurchase, 'items' | 'amount' | 'tokenName'>): string {
  const kinds = new Set(items.map(({ tokenType }) => tokenType))
  return kinds.size > 1 ? `${formatAmount(amount)} ${inMarketWords('drinks')}` : `${formatAmount(amount)} ${tokenName}`
}

export const eventWords: Record<TimelineEntry['event'], string> = {
  held: 'Held',
  submitted: 'Payment submitted',
  sent: 'Payment sent',
  confirmed: 'Payment confirmed',
  delivered: 'Delivered',
  finalized: 'Final',
  cancelled: 'Cancelled',
  expired: 'Expired',
  'case.opened': 'Case opened',
  'case.closed': 'Case closed',
}
