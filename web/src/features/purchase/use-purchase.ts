import { type Listing } from '@juicebar/contract/schemas'
import { createContext, useContext } from 'react'

import { type Order } from './order/order.ts'
import { type Again, type PurchaseStep } from './order/progress.ts'

/** The purchase that this tab is carrying out. */
export interface RunningPurchase {
  order: Order
  step: PurchaseStep
  /** When the hold ends, by this browser's clock; undefined until there is a hold. */
  payUntil: number | undefined
  /** When the next attempt is if the server is too busy for the purchase, by this browser's clock; undefined otherwise. */
  retryAt: number | undefined
  /** Of a wallet that took too long: it is asked once more, or will be when the buyer says so. */
  again: Again | undefined
  /** The server has not said what becomes of the signed payment. */
  unanswered: boolean
  /** The buyer chose to keep browsing while it runs. */
  inBackground: boolean
}

export interface PurchaseContextValue {
  /** The listing that the buyer is asked to confirm. */
  confirming: Listing | undefined
  /** The order of one listing that somebody else was faster with. */
  overtaken: Order | undefined
  running: RunningPurchase | undefined
  /** Refuses, asks for a wallet, or asks the buyer to confirm. */
  buy: (listing: Listing) => void
  /** Closes the question, or what is shown instead of a listing that is gone. */
  dismiss: () => void
  /** Refuses, asks for a wallet, or buys what the buyer has confirmed. */
  place: (order: Order) => void
  /** Puts a listing, or a part of it, into the basket. Without an amount, one that is there is taken out. */
  gather: (listing: Listing, amount?: number) => void
  /** Buys what the buyer has confirmed, or pays what is already held. Does nothing while another purchase runs. */
  pay: (order: Order) => void
  keepBrowsing: () => void
  /** Gives up the running purchase, as long as nothing is held for it. */
  cancel: () => void
  /** Asks the wallet once more, after it took too long. */
  approveAgain: () => void
}

export const PurchaseContext = createContext<PurchaseContextValue | undefined>(undefined)

/** The one purchase that a tab carries out at a time, and the ways to start it. */
export function usePurchase(): PurchaseContextValue {
  const value = useContext(PurchaseContext)
  if (!value) throw new Error('usePurchase needs a PurchaseProvider above it')
  return value
}
