import { type Listing } from '@juicebar/contract/schemas'
import { createContext, useContext } from 'react'

import { type Order } from './order/order.ts'
import { type PurchaseStep } from './order/progress.ts'

/** The purchase that this tab is carrying out. */
export interface RunningPurchase {
  order: Order
  step: PurchaseStep
  /** When the hold ends, by this browser's clock; undefined until there is a hold. */
  payUntil: number | undefined
  /** When the server, which is too busy to hold anything, is asked again, by this browser's clock; undefined if it is not. */
  retryAt: number | undefined
  /** The buyer chose to go on browsing while it runs. */
  inBackground: boolean
}

export interface PurchaseContextValue {
  /** The listing that the buyer is asked to confirm. */
  confirming: Listing | undefined
  running: RunningPurchase | undefined
  /** Refuses, leads to a wallet, or asks the buyer to confirm. */
  buy: (listing: Listing) => void
  /** Takes the question back. */
  dismiss: () => void
  /** Refuses, leads to a wallet, or buys what the buyer has confirmed. */
  place: (order: Order) => void
  /** Puts a listing, or a part of it, into the basket. Without an amount, one that is there is taken out. */
  gather: (listing: Listing, amount?: number) => void
  /** Buys what the buyer has confirmed, or pays what is already held. Does nothing while another purchase runs. */
  pay: (order: Order) => void
  keepBrowsing: () => void
  /** Gives up the running purchase, as long as nothing is held for it. */
  cancel: () => void
}

export const PurchaseContext = createContext<PurchaseContextValue | undefined>(undefined)

/** The one purchase that a tab carries out at a time, and the ways to start it. */
export function usePurchase(): PurchaseContextValue {
  const value = useContext(PurchaseContext)
  if (!value) throw new Error('usePurchase needs a PurchaseProvider above it')
  return value
}
