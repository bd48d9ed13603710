import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { purchasesQuery } from '../../api/queries.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { lastSale, listingsSold, salesSentence, salesSince } from './new-sales.ts'

/** Local storage keys: the last sale that a toast announced, and the last one when the seller last opened My Listings. */
const toldKey = (walletAddress: string) => `salesTold:${walletAddress}`
const seenKey = (walletAddress: string) => `salesSeen:${walletAddress}`

export interface Seller {
  walletAddress: string
  /** My Listings is on the screen. */
  looking: boolean
}

/**
 * Announces new sales to the seller, including those made while the app was closed.
 *
 * @returns of how many listings something was sold since the seller last opened My Listings
 */
export function useNewSales({ walletAddress, looking }: Seller): number {
  const { showToast } = useNotices()
  const { data } = useInfiniteQuery(purchasesQuery('seller'))
  const sales = data?.pages[0]?.purchases
  useEffect(() => {
    if (!sales) return
    const last = lastSale(sales)
    // In a browser that has not seen this wallet before, earlier sales are not new.
    const told = localStorage.getItem(toldKey(walletAddress)) ?? last
    const sentence = salesSentence(listingsSold(salesSince(sales, told), walletAddress))
    if (sentence) showToast(sentence, 'good')
    localStorage.setItem(toldKey(walletAddress), last)
    if (looking || localStorage.getItem(seenKey(walletAddress)) === null) localStorage.setItem(seenKey(walletAddress), last)
  }, [sales, walletAddress, looking, showToast])

  if (!sales || looking) return 0
  return listingsSold(salesSince(sales, localStorage.getItem(seenKey(walletAddress)) ?? lastSale(sales)), walletAddress).length
}
