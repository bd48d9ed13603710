import { solText } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'

import { formatAmount } from '../../ui/format.ts'

type Sale = Pick<Purchase, 'settledAt' | 'items'>

/** What was sold of one of the seller's listings, with its exact price in lamports. */
interface SoldLot {
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
export function lotsSold(sales: readonly Sale[], seller: string): SoldLot[] {
  const lots = new Map<string, SoldLot>()
  for (const item of sales.flatMap(({ items }) => items)) {
    if (item.seller !== seller) continue
    const { tokenName } = item
    const lot = lots.get(item.partOf ?? item.listingId) ?? { tokenName, amount: 0, lamports: 0n }
    lots.set(item.partOf ?? item.listingId, { tokenName, amount: lot.amount + item.amount, lamports: lot.lamports + BigInt(item.lamports) })
  }
  return [...lots.values()]
}

/** One sentence for all that was sold; undefined if nothing was. */
export function salesSentence(lots: readonly SoldLot[]): string | undefined {
  const [first, ...others] = lots
  if (!first) return undefined
  const sol = solText(lots.reduce((sum, { lamports }) => sum + lamports, 0n))
  if (!others.length) return `Sold: ${formatAmount(first.amount)} ${first.tokenName} for ${sol} SOL.`
  return `Sold: ${formatAmount(lots.length)} of your lots for ${sol} SOL in total.`
}
