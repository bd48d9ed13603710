import { type Listing } from '@juicebar/contract/schemas'
import { type ReactNode, useCallback, useMemo, useState } from 'react'

import { type BoughtListing } from './purchase.ts'
import { useBuy } from './use-buy.ts'
import { PurchaseContext, type RunningPurchase } from './use-purchase.ts'
import { useRunPurchase } from './use-run-purchase.ts'

/** Keeps the purchase of this tab for everything below it: its card on the market, its dialog, its progress. */
export function PurchaseProvider({ children }: { children: ReactNode }) {
  const [confirming, setConfirming] = useState<Listing>()
  const [running, setRunning] = useState<RunningPurchase>()
  const buy = useBuy(setConfirming)
  const { run, cancel } = useRunPurchase(setRunning)
  const dismiss = useCallback(() => setConfirming(undefined), [])
  const pay = useCallback(
    (listing: BoughtListing) => {
      dismiss()
      run(listing)
    },
    [dismiss, run],
  )
  const keepBrowsing = useCallback(() => setRunning((current) => current && { ...current, inBackground: true }), [])
  const value = useMemo(
    () => ({ confirming, running, buy, dismiss, pay, keepBrowsing, cancel }),
    [confirming, running, buy, dismiss, pay, keepBrowsing, cancel],
  )
  return <PurchaseContext value={value}>{children}</PurchaseContext>
}
