import { messages } from '@juicebar/contract/messages'
import { type Listing } from '@juicebar/contract/schemas'
import { type QueryClient } from '@tanstack/react-query'

import { solQuery } from '../../../api/chain.ts'
import { configQuery } from '../../../api/queries.ts'
import { requireConnection } from '../../../wallet/signatures.ts'
import { type Order, orderItemOf } from '../order/order.ts'
import { totalOf } from '../order/order-terms.ts'
import { cannotBuyHere, wayToPay } from '../way-to-pay.ts'

/**
 * Why a wallet can't buy what it ordered, in the specification's words; undefined if it can.
 *
 * @param sol the wallet's balance in lamports; undefined if it is not known, which is left to the server
 */
export function refusalToBuy(order: Order, walletAddress: string, sol: bigint | undefined): string | undefined {
  if (order.items.some(({ seller }) => seller === walletAddress)) return messages.ownListing
  if (sol !== undefined && sol < totalOf(order)) return messages.insufficientSol
  return undefined
}

/**
 * Why a wallet can't buy what it ordered, or the smallest part of a listing that it may take, given the balance on the screen. That balance
 * may be some seconds old; a buyer whose SOL has arrived since is not refused. If it cannot be read, the server decides. A wallet that cannot
 * pay in this market at all is refused first.
 */
export async function currentRefusalToBuy(
  wanted: Order | Listing,
  walletAddress: string,
  client: QueryClient,
): Promise<string | undefined> {
  const { wallet } = requireConnection()
  if (wayToPay(wallet, await client.ensureQueryData(configQuery)) === 'none') return cannotBuyHere
  const order = 'items' in wanted ? wanted : leastOf(wanted)
  const query = solQuery(walletAddress)
  const refusal = refusalToBuy(order, walletAddress, client.getQueryData(query.queryKey))
  if (refusal !== messages.insufficientSol) return refusal
  const sol = await client.fetchQuery({ ...query, staleTime: 0 }).catch(() => undefined)
  return refusalToBuy(order, walletAddress, sol)
}

function leastOf(listing: Listing): Order {
  return { items: [orderItemOf(listing, listing.divisible ? 1 : listing.amount)], fee: 0n, origin: 'chosen' }
}
