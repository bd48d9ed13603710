import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { purchasesQuery } from '../../api/queries.ts'
import { showToast } from '../../feedback/notices.ts'
import { lastSale, newSales, salesSentence, salesSince } from './new-sales.ts'

/** Local storage: up to which sale the seller was told in a toast, and up to which the listings were looked at since. */
const toldKey = (walletAddress: string) => `salesTold:${walletAddress}`
const seenKey = (walletAddress: string) => `salesSeen:${walletAddress}`

/** Tells the seller of sold lots, also of those sold while the page was closed. `looking`: the own listings are on the screen. */
export function useSalesNews(walletAddress: string, looking: boolean): void {
  const { data } = useInfiniteQuery(purchasesQuery('seller'))
  useEffect(() => {
    const sales = data?.pages[0]?.purchases
    if (!sales) return
    const last = lastSale(sales)
    // In a browser that is new to this wallet, sales of long ago are no news.
    const told = localStorage.getItem(toldKey(walletAddress)) ?? last
    const seen = looking ? last : (localStorage.getItem(seenKey(walletAddress)) ?? last)
    const sentence = salesSentence(salesSince(sales, told))
    if (sentence) showToast(sentence, 'good')
    localStorage.setItem(toldKey(walletAddress), last)
    localStorage.setItem(seenKey(walletAddress), seen)
    newSales.set(salesSince(sales, seen).length)
  }, [data, walletAddress, looking])
  useEffect(() => () => newSales.set(0), [])
}
