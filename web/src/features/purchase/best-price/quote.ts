import { type Reply } from '@juicebar/contract/calls'
import { type TokenType } from '@juicebar/contract/catalogue'
import { queryOptions } from '@tanstack/react-query'

import { call } from '../../../api/client.ts'
import { keys } from '../../../api/queries.ts'
import { catalogue } from '../../../catalogue/catalogue.ts'
import { type Order } from '../order/order.ts'

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
