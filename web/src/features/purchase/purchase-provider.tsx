import { type Listing } from '@juicebar/contract/schemas'
import { type ReactNode, useCallback, useMemo, useState } from 'react'

import { type Order } from './order/order.ts'
import { useBuy } from './use-buy.ts'
import { PurchaseContext, type RunningPurchase } from './use-purchase.ts'
import { useRunPurchase } from './use-run-purchase.ts'

/** Provides this tab's purchase to everything below it: its card on the market, its dialog, its progress. */
export function PurchaseProvider({ children }: { children: ReactNode }) {
  const [confirming, setConfirming] = useState<Listing>()
  const [overtaken, setOvertaken] = useState<Order>()
  const [running, setRunning] = useState<RunningPurchase>()
  const { run, cancel, approveAgain } = useRunPurchase(setRunning, setOvertaken)
  const dismiss = useCallback(() => {
    setConfirming(undefined)
    setOvertaken(undefined)
  }, [])
  const pay = useCallback(
    (order: Order) => {
      dismiss()
      run(order)
    },
    [dismiss, run],
  )
  const begin = useBuy(setConfirming, pay)
  const keepBrowsing = useCallback(() => setRunning((current) => current && { ...current, inBackground: true }), [])
  const value = useMemo(
    () => ({ confirming, overtaken, running, ...begin, dismiss, pay, keepBrowsing, cancel, approveAgain }),
    [confirming, overtaken, running, begin, dismiss, pay, keepBrowsing, cancel, approveAgain],
  )
  return <PurchaseContext value={value}>{children}</PurchaseContext>
}
