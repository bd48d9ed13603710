import { solText } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { purchasesQuery } from '../../api/queries.ts'
import { showToast } from '../../feedback/notices.ts'
import { formatAmount } from '../../ui/format.ts'

/** Announces new sales to the seller, and tells the header how many there are; renders nothing itself. Visitors do not download it. */
export function NewSales({ onCount, ...seller }: Seller & { onCount: (count: number) => void }) {
  const count = useNewSales(seller)
  useEffect(() => {
    onCount(count)
    return () => onCount(0)
  }, [count, onCount])
  return null
}

/** Local storage keys: the last sale that a toast announced, and the last one when the seller last opened My Listings. */
const toldKey = (walletAddress: string) => `salesTold:${walletAddress}`
const seenKey = (walletAddress: string) => `salesSeen:${walletAddress}`

interface Seller {
  walletAddress: string
  /** My Listings is on the screen. */
  looking: boolean
}

/**
 * Announces new sales to the seller, including those made while the app was closed.
 *
 * @returns of how many listings something was sold since the seller last opened My Listings
 */
function useNewSales({ walletAddress, looking }: Seller): number {
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
  }, [sales, walletAddress, looking])

  if (!sales || looking) return 0
  return listingsSold(salesSince(sales, localStorage.getItem(seenKey(walletAddress)) ?? lastSale(sales)), walletAddress).length
}

type Sale = Pick<Purchase, 'settledAt' | 'items'>

/** What was sold of one of the seller's listings, with its exact price in lamports. */
interface SoldListing {
  tokenName: string
  amount: number
  lamports: bigint
}

/** The sales delivered after `mark`, a timestamp of the server. */
export function salesSince<Sold extends Sale>(sales: readonly Sold[], mark: string): Sold[] {
  return sales.filter(({ settledAt }) => settledAt !== null && settledAt > mark)
}

/** When the last of the sales was delivered, as a timestamp of the server; empty if none was. */
export function lastSale(sales: readonly Sale[]): string {
  return sales.reduce((last, { settledAt }) => (settledAt && settledAt > last ? settledAt : last), '')
}

/** What was sold of a seller's listings. Parts of the same listing are added up; other sellers' items in the same purchase are left out. */
export function listingsSold(sales: readonly Sale[], seller: string): SoldListing[] {
  const listings = new Map<string, SoldListing>()
  for (const item of sales.flatMap(({ items }) => items)) {
    if (item.seller !== seller) continue
    const { tokenName } = item
    const listing = listings.get(item.partOf ?? item.listingId) ?? { tokenName, amount: 0, lamports: 0n }
    listings.set(item.partOf ?? item.listingId, {
      tokenName,
      amount: listing.amount + item.amount,
      lamports: listing.lamports + BigInt(item.lamports),
    })
  }
  return [...listings.values()]
}

/** One sentence for all that was sold; undefined if nothing was. */
export function salesSentence(listings: readonly SoldListing[]): string | undefined {
  const [first, ...others] = listings
  if (!first) return undefined
  const sol = solText(listings.reduce((sum, { lamports }) => sum + lamports, 0n))
  if (!others.length) return `Sold: ${formatAmount(first.amount)} ${first.tokenName} for ${sol} SOL.`
  return `Sold: ${formatAmount(listings.length)} of your listings for ${sol} SOL in total.`
}
