import { type CheckoutStatus, type PlayerCheckout, type Purchase } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'

import { isPassing } from '../../../api/api-error.ts'
import { openPurchasesQuery, purchaseQuery } from '../../../api/player-queries.ts'
import { keys, reload } from '../../../api/queries.ts'
import { type SignedPayment } from '../co-signed/pay-co-signed.ts'
import { useInterruptedPayment } from '../open/use-interrupted-payment.ts'
import { orderOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'
import { type RunningPurchase, usePurchase } from '../use-purchase.ts'
import { type ReadCheckout } from './checkout-query.ts'

/** How often to ask for purchases again, in milliseconds, because events may be lost. */
const PURCHASES_MS = 2_500

/** A payment of this player for the checkout, by how the page knows of it. */
export interface UnderWay {
  /** This page carries it out. */
  running?: RunningPurchase | undefined
  /** It was signed before a reload, and the server has not answered for it. */
  interrupted?: SignedPayment | undefined
  /** It was begun before a reload, or in another tab. */
  open?: Purchase | undefined
}

/** What is known of the player's payment for a checkout. */
export interface OwnPayment {
  underWay: UnderWay
  /** What it buys, while it is under way and afterwards. */
  ordered: Order | undefined
  /** When the purchase under way was read; 0 if there is none. */
  readAt: number
  delivered: boolean
  /** A payment that was under way has ended unpaid. */
  reopened: boolean
}

/** Follows the player's payment for the checkout: in this page, from before a reload, or in another tab. */
export function useOwnPayment(publicId: string, checkout: ReadCheckout | undefined, walletAddress: string | undefined): OwnPayment {
  const { running } = usePurchase()
  const { payment, accepted } = useInterruptedPayment(walletAddress)
  const { data: purchases, dataUpdatedAt: listedAt } = useQuery({
    ...openPurchasesQuery,
    enabled: walletAddress !== undefined && checkout?.status === 'paying',
    refetchInterval: PURCHASES_MS,
  })
  const listed = checkout && walletAddress !== undefined ? purchaseFor(checkout, purchases) : undefined
  const resumed = accepted?.order.checkout === publicId ? accepted : undefined
  const own = useFollowed(listed ? { purchase: listed, readAt: listedAt } : resumed, listed !== undefined, walletAddress)
  const purchase = own?.purchase
  const isSettled = purchase?.status === 'settled'
  const underWay: UnderWay = {
    running: running?.order.checkout === publicId ? running : undefined,
    interrupted: payment?.order.checkout === publicId && !accepted ? payment : undefined,
    // What is delivered soon shows as paid, too.
    open: purchase?.status === 'held' || (isSettled && checkout?.status === 'paying') ? purchase : undefined,
  }
  const isOver = purchase !== undefined && purchase.status !== 'held'
  const history = useHistory(checkout?.status, underWay, { isOver, isSettled: isSettled && checkout?.status === 'completed' })
  return { underWay, ordered: useOrdered(underWay), readAt: own?.readAt ?? 0, ...history }
}

interface Seen {
  purchase: Purchase
  /** By this browser's clock. */
  readAt: number
}

/**
 * The player's newest purchase for the checkout, as it is now. Only the purchase itself says whether it was delivered: of a checkout that has
 * been paid, somebody else may have been the buyer.
 *
 * @param isListed it is on the list of open purchases, and need not be asked for
 */
function useFollowed(found: Seen | undefined, isListed: boolean, walletAddress: string | undefined): Seen | undefined {
  const [last, setLast] = useState(found)
  if (found && isNews(found, last)) setLast(found)
  const own = last?.purchase.buyer === walletAddress ? last : undefined
  const { data, dataUpdatedAt, error } = useQuery({
    ...purchaseQuery(own?.purchase.purchaseId ?? ''),
    enabled: own !== undefined && !isListed,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.status === 'held' || (!state.data && isPassing(state.error)) ? PURCHASES_MS : false),
  })
  if (error && !isPassing(error)) return undefined
  return data && own && dataUpdatedAt > own.readAt ? { purchase: data, readAt: dataUpdatedAt } : own
}

function isNews({ purchase, readAt }: Seen, last: Seen | undefined): boolean {
  if (!last || purchase.buyer !== last.purchase.buyer || purchase.createdAt > last.purchase.createdAt) return true
  return purchase.purchaseId === last.purchase.purchaseId && readAt > last.readAt
}

/** The order of the payment under way, and afterwards still. */
function useOrdered({ running, interrupted, open }: UnderWay): Order | undefined {
  const order = useMemo(() => running?.order ?? interrupted?.order ?? (open && orderOf(open)), [running?.order, interrupted?.order, open])
  const [last, setLast] = useState(order)
  if (order && order !== last) setLast(order)
  return last
}

/** What has become of a payment while the page was open. */
function useHistory(
  status: CheckoutStatus | undefined,
  { running, interrupted, open }: UnderWay,
  { isOver, isSettled }: { isOver: boolean; isSettled: boolean },
): History {
  const step = running?.step
  const [seen, setSeen] = useState<History>(nothing)
  const next = nextHistory(seen, {
    status,
    isDelivered: step === 'delivered' || isSettled,
    isUnderWay: running !== undefined || interrupted !== undefined || open !== undefined,
  })
  if (Object.keys(next).some((key) => next[key as keyof History] !== seen[key as keyof History])) setSeen(next)
  useEffect(() => {
    if (step === 'delivered' || isOver) reload(keys.checkouts)
  }, [step, isOver])
  return next
}

/** What has happened to a checkout while its page was open. */
export interface History {
  /** A payment is reserved. */
  paying: boolean
  /** This player's payment was delivered. */
  delivered: boolean
  /** A payment has ended unpaid. */
  reopened: boolean
}

export const nothing: History = { paying: false, delivered: false, reopened: false }

interface Now {
  /** undefined until it is read. */
  status: CheckoutStatus | undefined
  isDelivered: boolean
  isUnderWay: boolean
}

/** The history, after what is seen now. */
export function nextHistory(before: History, { status, isDelivered, isUnderWay }: Now): History {
  const delivered = before.delivered || isDelivered
  const paying = status === 'paying'
  return { paying, delivered, reopened: status === 'open' && !isUnderWay && !delivered && (before.reopened || before.paying) }
}

type Sought = Pick<PlayerCheckout, 'tokenType' | 'amount' | 'status'>

/**
 * The player's open purchase that pays for a checkout: while one does, it is of exactly the checkout's item and amount.
 *
 * @param open undefined until they are loaded
 */
export function purchaseFor({ tokenType, amount, status }: Sought, open: readonly Purchase[] | undefined): Purchase | undefined {
  if (status !== 'paying') return undefined
  return open?.find((purchase) => purchase.amount === amount && purchase.items.every((item) => item.tokenType === tokenType))
}
