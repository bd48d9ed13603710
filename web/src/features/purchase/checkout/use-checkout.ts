import { CO_SIGNED_FEE_LAMPORTS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type CheckoutStatus, type PublicConfig, type Purchase } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { ApiError } from '../../../api/api-error.ts'
import { solQuery } from '../../../api/chain.ts'
import { configQuery, keys, openPurchasesQuery } from '../../../api/queries.ts'
import { reload } from '../../../api/refresh-market.ts'
import { useSession } from '../../../session/session-store.ts'
import { useWallet } from '../../../wallet/wallet-store.ts'
import { type Quote, quotedOrder, quotedTotal, quoteQuery } from '../best-price/quote.ts'
import { type SignedPayment } from '../co-signed/kept-payment.ts'
import { useInterruptedPayment } from '../open/use-interrupted-payment.ts'
import { type Order } from '../order/order.ts'
import { type RunningPurchase, usePurchase } from '../use-purchase.ts'
import { wayToPay } from '../way-to-pay.ts'
import { checkoutQuery, type ReadCheckout } from './checkout-query.ts'
import { type History, nextHistory, nothing } from './history.ts'
import { purchaseFor } from './own-purchase.ts'
import { type Screen, screenOf } from './screen.ts'
import { stepOf } from './step-of.ts'
import { usePreflight } from './use-preflight.ts'

/** How often to ask for the price and for open purchases again, in milliseconds, because events may be lost. */
const PRICE_MS = 10_000
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

/** What the page of a checkout shows, and what it takes to show it. */
export interface ShownCheckout {
  screen: Screen
  checkout: ReadCheckout | undefined
  quote: Quote | undefined
  /** What a press of the button buys. */
  order: Order | undefined
  underWay: UnderWay
  /** When the open purchases were loaded. */
  loadedAt: number
  networkFee: bigint
  /** A payment that was under way has ended unpaid. */
  reopened: boolean
}

/** Follows a checkout, its price, and the player's payment for it. */
export function useCheckout(publicId: string, walletAddress: string | undefined): ShownCheckout {
  const { data: checkout, dataUpdatedAt, errorUpdatedAt } = useQuery(checkoutQuery(publicId))
  const { data: config } = useQuery(configQuery)
  const wallet = useWallet()
  const session = useSession()
  const away = errorUpdatedAt > dataUpdatedAt
  const { underWay, delivered, reopened, loadedAt } = useOwnPayment(publicId, checkout ?? undefined, walletAddress)
  const isUnderWay = Object.values(underWay).some((payment) => payment !== undefined)
  const timeIsUp = useTimeIsUp(checkout?.status === 'open' ? checkout.until : undefined)
  const isOpen = checkout?.status === 'open' && !isUnderWay && !delivered && !timeIsUp
  const { data: quote, error: quoteError } = useQuery({
    ...quoteQuery(checkout?.tokenType ?? '', checkout?.amount ?? 1, walletAddress),
    enabled: isOpen,
    refetchInterval: PRICE_MS,
  })
  const { data: sol } = useQuery({ ...solQuery(walletAddress ?? ''), enabled: isOpen && walletAddress !== undefined })
  const total = quote && quotedTotal(quote)
  const isAffordable = total !== undefined && total <= BigInt(checkout?.maxLamports ?? total)
  const order = quote?.complete ? { ...quotedOrder(quote), checkout: publicId } : undefined
  const mayAsk = isOpen && !away && walletAddress !== undefined && isAffordable && !config?.pause && (config?.coSigner ?? null) !== null
  const refusal = usePreflight(mayAsk ? order : undefined)
  const { networkFee, cannotPay } = paymentOf(wallet.connected?.wallet, config)
  const screen = screenOf({
    checkout,
    away,
    underWay: isUnderWay,
    delivered,
    timeIsUp,
    paused: config?.pause?.message,
    delisted: quoteError instanceof ApiError && quoteError.code === 'TOKEN_TYPE_UNKNOWN',
    price: quote && { amount: quote.amount, complete: quote.complete, total: quotedTotal(quote) },
    isSignedIn: walletAddress !== undefined,
    cannotPay,
    refusal,
    sol,
    networkFee,
    step: stepOf(wallet, session),
  })
  return { screen, checkout: checkout ?? undefined, quote, order, underWay, loadedAt, networkFee, reopened }
}

/** The player's payment for the checkout: in this page, from before a reload, or in another tab. */
function useOwnPayment(publicId: string, checkout: ReadCheckout | undefined, walletAddress: string | undefined) {
  const { running } = usePurchase()
  const { payment, accepted } = useInterruptedPayment(walletAddress)
  const { data: purchases, dataUpdatedAt: loadedAt } = useQuery({
    ...openPurchasesQuery,
    enabled: walletAddress !== undefined && checkout?.status === 'paying',
    refetchInterval: PURCHASES_MS,
  })
  const open = checkout && walletAddress !== undefined ? purchaseFor(checkout, purchases) : undefined
  const underWay: UnderWay = {
    running: running?.order.checkout === publicId ? running : undefined,
    interrupted: payment?.order.checkout === publicId ? payment : undefined,
    open,
  }
  const isReserved = open !== undefined || accepted?.order.checkout === publicId
  const history = useHistory(checkout?.status, underWay, isReserved)
  return { underWay, loadedAt, ...history }
}

/** What has become of a payment while the page was open. */
function useHistory(status: CheckoutStatus | undefined, { running, interrupted, open }: UnderWay, isReserved: boolean) {
  const step = running?.step
  const [seen, setSeen] = useState<History>(nothing)
  const next = nextHistory(seen, {
    status,
    isReserved: isReserved || (step !== undefined && step !== 'approve'),
    isDelivered: step === 'delivered',
    isUnderWay: running !== undefined || interrupted !== undefined || open !== undefined,
  })
  if (next.paying !== seen.paying || next.mine !== seen.mine || next.delivered !== seen.delivered || next.reopened !== seen.reopened)
    setSeen(next)
  useEffect(() => {
    if (step === 'delivered') reload(keys.checkouts)
  }, [step])
  return next
}

function paymentOf(
  wallet: NonNullable<ReturnType<typeof useWallet.getState>['connected']>['wallet'] | undefined,
  config: PublicConfig | undefined,
) {
  const way = config && wallet && wayToPay(wallet, config)
  const coSigned = way === undefined ? (config?.coSigner ?? null) !== null : way === 'co-signed'
  return { cannotPay: way === 'none', networkFee: coSigned ? CO_SIGNED_FEE_LAMPORTS : SIGNATURE_FEE_LAMPORTS }
}

/** Whether a time has come, by this browser's clock. */
function useTimeIsUp(until: number | undefined): boolean {
  const [passed, setPassed] = useState<number>()
  useEffect(() => {
    if (until === undefined) return undefined
    const timer = setTimeout(
      () => {
        setPassed(until)
        reload(keys.checkouts)
      },
      Math.max(0, until - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [until])
  return until !== undefined && passed === until
}
