import { messages } from '@juicebar/contract/messages'
import { type Listing } from '@juicebar/contract/schemas'
import { type QueryClient } from '@tanstack/react-query'

import { solQuery } from '../../../api/chain.ts'
import { configQuery } from '../../../api/queries.ts'
import { type SessionState, useSession } from '../../../session/session-store.ts'
import { LATE_MS } from '../../../ui/early-events.ts'
import { requireConnection } from '../../../wallet/signatures.ts'
import { useWallet } from '../../../wallet/wallet-store.ts'
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
  /** Aborted by a later press: only the last one counts. */
  signal: AbortSignal
  /** When it was pressed, as `performance.now()` counts. */
  since: number
}

/** What happens to a wallet that wants to buy. */
interface Answers {
  onRefusal: (why: string) => void
  proceed: () => void
}

/**
 * Refuses a wallet or goes on. Does nothing if the wallet has to sign in first, or is disconnected meanwhile. Who is signed in may become
 * known only now, but not so late that nobody expects anything of the press any more.
 */
export async function refuseOrProceed(buy: Wanted, { onRefusal, proceed }: Answers): Promise<void> {
  const isOf = () => useSession.getState().user?.walletAddress === buy.walletAddress && useWallet.getState().connected !== undefined
  await untilSessionIsKnown(buy)
  if (isKnown(useSession.getState()) && !isOf()) return
  // The server checks what cannot be checked here.
  const refusal = isOf() ? await currentRefusalToBuy(buy).catch(() => undefined) : undefined
  if (buy.signal.aborted) return
  if (refusal !== undefined) onRefusal(refusal)
  else if (millisLeft(buy) <= 0) onRefusal('The market has not answered in time. Nothing was bought; try again in a moment.')
  else if (isOf()) proceed()
}

function millisLeft({ since }: Pick<Wanted, 'since'>): number {
  return since + LATE_MS - performance.now()
}

const isKnown = ({ authorization }: SessionState) => authorization !== 'checking'

/** Waits until it is known who is signed in, until a later press, or until it is too late. */
async function untilSessionIsKnown(buy: Wanted): Promise<void> {
  if (isKnown(useSession.getState())) return
  await new Promise<void>((resolve) => {
    const end = () => {
      stop()
      clearTimeout(timer)
      resolve()
    }
    const stop = useSession.subscribe((session) => isKnown(session) && end())
    const timer = setTimeout(end, millisLeft(buy))
    buy.signal.addEventListener('abort', end, { once: true })
  })
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
