import { messages } from '@juicebar/contract/messages'
import { type Listing, type User } from '@juicebar/contract/schemas'
import { type QueryClient } from '@tanstack/react-query'

import { solQuery } from '../../../api/chain.ts'
import { configQuery } from '../../../api/queries.ts'
import { type SessionState, useSession } from '../../../session/session-store.ts'
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

interface Wanted {
  wanted: Order | Listing
  /** Of the connected wallet. */
  walletAddress: string
  client: QueryClient
}

/** What happens to a wallet that wants to buy. */
interface Answers {
  onRefusal: (why: string) => void
  proceed: () => void
}

/** Refuses a wallet or goes on. Does nothing if the wallet has to sign in first; who is signed in may become known only now. */
export async function refuseOrProceed(buy: Wanted, { onRefusal, proceed }: Answers): Promise<void> {
  if ((await knownUser())?.walletAddress !== buy.walletAddress) return
  // The server checks what cannot be checked here.
  const refusal = await currentRefusalToBuy(buy).catch(() => undefined)
  if (refusal === undefined) proceed()
  else onRefusal(refusal)
}

/** Who is signed in, as soon as that is known. */
async function knownUser(): Promise<User | undefined> {
  const isKnown = ({ authorization }: SessionState) => authorization !== 'checking'
  if (!isKnown(useSession.getState())) {
    await new Promise<void>((resolve) => {
      const stop = useSession.subscribe((session) => {
        if (!isKnown(session)) return
        stop()
        resolve()
      })
    })
  }
  return useSession.getState().user
}

/**
 * Why a wallet can't buy what it ordered, or the smallest part of a listing that it may take, given the balance on the screen. That balance
 * may be some seconds old; a buyer whose SOL has arrived since is not refused. If it cannot be read, the server decides. A wallet that cannot
 * pay in this market at all is refused first.
 */
async function currentRefusalToBuy({ wanted, walletAddress, client }: Wanted): Promise<string | undefined> {
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
