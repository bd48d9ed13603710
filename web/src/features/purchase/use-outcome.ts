import { messages } from '@juicebar/contract/messages'
import { type Purchase } from '@juicebar/contract/schemas'
import { useCallback } from 'react'

import { useNotices } from '../../feedback/use-notices.ts'
import { shortSignature } from '../../ui/format.ts'

/** Tells the buyer what became of a purchase: a toast if it was delivered, else the banner. */
export function useOutcome(): (purchase: Purchase) => void {
  const { showBanner, showToast } = useNotices()
  return useCallback(
    (purchase) => {
      if (purchase.status === 'settled') showToast(messages.purchaseSucceeded(shortSignature(purchase.signature ?? '')), 'good')
      else void import('./flow/ended-text.ts').then(({ endedText }) => showBanner(endedText(purchase)))
    },
    [showBanner, showToast],
  )
}
