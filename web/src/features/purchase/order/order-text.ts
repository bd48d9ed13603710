import { lamportsToSol } from '@juicebar/contract/money'

import { formatAmount, formatSol } from '../../../ui/format.ts'
import { priceOf } from './order-terms.ts'
import { type Order } from './order.ts'

interface Bought {
  seller: string
  tokenName: string
  amount: number
}

/** What is bought, and from how many sellers if more than one: "120 Apple Juice and 5 Grape Soda from 3 sellers". */
export function boughtText(items: readonly Bought[]): string {
  const amounts = new Map<string, number>()
  for (const { tokenName, amount } of items) amounts.set(tokenName, (amounts.get(tokenName) ?? 0) + amount)
  const drinks = [...amounts].map(([name, amount]) => `${formatAmount(amount)} ${name}`)
  const last = drinks.pop() ?? ''
  const text = drinks.length > 0 ? `${drinks.join(', ')} and ${last}` : last
  const sellers = new Set(items.map(({ seller }) => seller)).size
  return sellers > 1 ? `${text} from ${sellers} sellers` : text
}

/** An order in one line, with its price. A fee of 0 is not mentioned. */
export function orderText({ items, fee }: Order): string {
  const price = `${boughtText(items)} for ${formatLamports(priceOf(items))} SOL`
  return fee > 0n ? `${price} and a fee of ${formatLamports(fee)} SOL` : price
}

/** Lamports as SOL without trailing zeros. */
export function formatLamports(lamports: bigint): string {
  return formatSol(lamportsToSol(lamports))
}
