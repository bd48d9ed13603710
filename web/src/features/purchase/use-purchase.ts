import { type Listing } from '@juicebar/contract/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useState } from 'react'

import { purchasesQuery } from '../../api/queries.ts'
import { type Again, type Order, type PurchaseStep } from './order/order.ts'

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

/**
 * Until when a wallet may not buy a listing that it left unpaid, by listing and in milliseconds; a visitor has no cooldowns. The server
 * returns it with the wallet's purchases, so it also applies after a reload and in other browsers. Each entry disappears when it ends.
 */
export function useCooldowns(walletAddress: string | undefined): ReadonlyMap<string, number> {
  const { data } = useInfiniteQuery({ ...purchasesQuery('buyer'), ...(walletAddress === undefined && { enabled: false }) })
  const [now, setNow] = useState(() => Date.now())
  const purchases = walletAddress === undefined ? [] : (data?.pages.flatMap((page) => page.purchases) ?? [])
  const cooldowns = new Map(
    purchases.flatMap(({ items, cooldownUntil }) => {
      const until = Date.parse(cooldownUntil ?? '')
      const [item, more] = items
      // Of several items, the purchase does not say which one the cooldown is for.
      return until > now && item && !more ? [[item.partOf ?? item.listingId, until] as const] : []
    }),
  )
  const next = Math.min(...cooldowns.values())
  useEffect(() => {
    if (next === Infinity) return undefined
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, next - Date.now()))
    return () => clearTimeout(timer)
  }, [next])
  return cooldowns
}
