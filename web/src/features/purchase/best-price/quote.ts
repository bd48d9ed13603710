import { type Reply } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { queryOptions } from '@tanstack/react-query'

import { call } from '../../../api/client.ts'
import { keys } from '../../../api/queries.ts'
import { catalogue } from '../../../catalogue/catalogue.ts'
import { type Order } from '../order/order.ts'

/** How many a buyer is shown the price of at first. */
export const FIRST_AMOUNT = 10

export type Quote = Reply<'quote'>

/** The cheapest way to get an amount of a drink. Events of the drink's listings make it stale. */
export function quoteQuery(tokenType: TokenType, amount: number, walletAddress: string | undefined) {
  return queryOptions({
    queryKey: [...keys.quotes, tokenType, amount, walletAddress],
    queryFn: ({ signal }) =>
      call('quote', { query: { tokenType, amount, ...(walletAddress && { excludeSeller: walletAddress }) }, signal }),
    meta: { quiet: true },
  })
}

/** The total cost of a quote, including the fee, in lamports. */
export function quotedTotal({ lamports, fee }: Quote): bigint {
  return BigInt(lamports) + BigInt(fee.lamports)
}

/** The order that a quote becomes when the buyer accepts it. */
export function quotedOrder({ items, fee }: Quote): Order {
  return {
    items: items.map(({ listingId, seller, tokenType, amount, lamports }) => ({
      listingId,
      seller,
      tokenType,
      tokenName: catalogue().nameOf(tokenType),
      amount,
      lamports: BigInt(lamports),
    })),
    fee: BigInt(fee.lamports),
    origin: 'quote',
  }
}

/** How many sellers a quote pays. */
export function sellersOf({ items }: Quote): number {
  return new Set(items.map(({ seller }) => seller)).size
}

/** The last price that a buyer was shown for an amount. Prices are in lamports. */
export interface ShownPrice {
  amount: number
  total: bigint
  /** The price before it rose while it was shown; undefined if it did not rise, or if the buyer has accepted the rise. */
  risenFrom?: bigint | undefined
}

/** What to show after the price of an amount was requested again: the buyer must accept a rise before paying. */
export function watchPrice(shown: ShownPrice | undefined, amount: number, total: bigint): ShownPrice {
  if (shown?.amount !== amount) return { amount, total }
  const before = shown.risenFrom ?? shown.total
  return total > before ? { amount, total, risenFrom: before } : { amount, total }
}
