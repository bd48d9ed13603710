import { messages } from '@juicebar/contract/messages'
import { type Purchase } from '@juicebar/contract/schemas'

import { type NoticeActions } from '../../../feedback/use-notices.ts'
import { shortSignature } from '../../../ui/format.ts'
import { endedText } from '../order/ended-text.ts'

/** Tells the buyer the outcome of a purchase: in a toast if it was delivered, otherwise in the banner. */
export function tellOutcome(purchase: Purchase, { showBanner, showToast }: Pick<NoticeActions, 'showBanner' | 'showToast'>): void {
  if (purchase.status === 'settled') showToast(messages.purchaseSucceeded(shortSignature(purchase.signature ?? '')), 'good')
  else showBanner(endedText(purchase))
}
