import { solText } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'

import { formatAmount } from '../../ui/format.ts'

type Sale = Pick<Purchase, 'settledAt' | 'tokenName' | 'amount' | 'lamports'>

/** The sales delivered after `mark`, a timestamp of the server. */
export function salesSince<Sold extends Sale>(sales: readonly Sold[], mark: string): Sold[] {
  return sales.filter(({ settledAt }) => settledAt !== null && settledAt > mark)
}

/** When the last of the sales was delivered, as a timestamp of the server; empty if none was. */
export function lastSale(sales: readonly Sale[]): string {
  return sales.reduce((last, { settledAt }) => (settledAt && settledAt > last ? settledAt : last), '')
}

/** One sentence for all of the sales; undefined if there are none. */
export function salesSentence(sales: readonly Sale[]): string | undefined {
  const [first, ...others] = sales
  if (!first) return undefined
  const sol = solText(sales.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n))
  if (!others.length) return `Sold: ${formatAmount(first.amount)} ${first.tokenName} for ${sol} SOL.`
  return `Sold: ${sales.length} of your lots for ${sol} SOL in total.`
}
