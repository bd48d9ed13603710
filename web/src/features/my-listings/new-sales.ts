import { solText } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'

import { formatAmount } from '../../ui/format.ts'

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
