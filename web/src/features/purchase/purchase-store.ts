import { type Listing } from '@juicebar/contract/schemas'

import { createStore } from '../../ui/store.ts'
import { type Lot, type PurchaseStep } from './purchase.ts'

/** The purchase that this tab is carrying out. */
export interface RunningPurchase {
  lot: Lot
  step: PurchaseStep
  /** When the hold ends, by this browser's clock; undefined until there is one. */
  payUntil: number | undefined
  /** The buyer chose to go on browsing while it runs. */
  inBackground: boolean
}

/** The lot that the buyer is asked to confirm. */
export const confirming = createStore<Listing | undefined>(undefined)
export const running = createStore<RunningPurchase | undefined>(undefined)

export function updateRunning(change: Partial<RunningPurchase>): void {
  const current = running.get()
  if (current) running.set({ ...current, ...change })
}
