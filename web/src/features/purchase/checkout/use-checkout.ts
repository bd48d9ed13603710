import { type ErrorCode } from '@juicebar/contract/errors'
import { CO_SIGNED_FEE_LAMPORTS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type CheckoutStatus, type PlayerCheckout, type PublicConfig, type Purchase } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'

import { ApiError, isPassing } from '../../../api/api-error.ts'
import { solQuery } from '../../../api/chain.ts'
import { configQuery, keys, openPurchasesQuery, reload } from '../../../api/queries.ts'
import { type SessionState, useSession } from '../../../session/session-store.ts'
import { useWallet, type WalletState } from '../../../wallet/wallet-store.ts'
import { DEMO_WALLET } from '../../../wallet/wallet.ts'
import { type Quote, quotedOrder, quotedTotal, quoteQuery } from '../best-price/quote.ts'
import { type SignedPayment } from '../co-signed/kept-payment.ts'
import { useInterruptedPayment } from '../open/use-interrupted-payment.ts'
import { askOffer } from '../order/offer.ts'
import { orderOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'
import { type RunningPurchase, usePurchase } from '../use-purchase.ts'
import { wayToPay } from '../way-to-pay.ts'
import { checkoutQuery, type ReadCheckout } from './checkout-query.ts'
import { type Screen, screenOf, type Step } from './screen.ts'

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
  /** What the player's payment buys that is under way, or that was delivered. */
  ordered: Order | undefined
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
  const { underWay, ordered, delivered, reopened, loadedAt } = useOwnPayment(publicId, checkout ?? undefined, walletAddress)
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
  const awaitsGift = useAwaitsGift(sol === 0n && wallet.connected?.wallet.name === DEMO_WALLET)
  const screen = screenOf({
    checkout,
    away,
    underWay: isUnderWay,
    delivered,
    timeIsUp,
    paused: config?.pause?.message,
    delisted: quoteError instanceof ApiError && quoteError.code === 'TOKEN_TYPE_UNKNOWN',
    price: quote && { amount: quote.amount, complete: quote.complete, total: quotedTotal(quote) },
    walletAddress,
    cannotPay,
    refusal,
    sol: awaitsGift ? undefined : sol,
    networkFee,
    step: stepOf(wallet, session),
  })
  return { screen, checkout: checkout ?? undefined, quote, order, underWay, ordered, loadedAt, networkFee, reopened }
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
  const history = useHistory(checkout?.status, underWay, accepted?.order.checkout === publicId)
  return { underWay, ordered: useOrdered(underWay), loadedAt, ...history }
}

/** The order of the payment under way, and afterwards still. */
function useOrdered({ running, interrupted, open }: UnderWay): Order | undefined {
  const order = useMemo(() => running?.order ?? interrupted?.order ?? (open && orderOf(open)), [running?.order, interrupted?.order, open])
  const [last, setLast] = useState(order)
  if (order && order !== last) setLast(order)
  return last
}

/** What has become of a payment while the page was open. */
function useHistory(status: CheckoutStatus | undefined, { running, interrupted, open }: UnderWay, wasAccepted: boolean) {
  const step = running?.step
  const [seen, setSeen] = useState<History>(nothing)
  const next = nextHistory(seen, {
    status,
    isReserved: open !== undefined || (step !== undefined && step !== 'approve'),
    wasAccepted,
    isDelivered: step === 'delivered',
    isUnderWay: running !== undefined || interrupted !== undefined || open !== undefined,
  })
  if (Object.keys(next).some((key) => next[key as keyof History] !== seen[key as keyof History])) setSeen(next)
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

/** How long the Demo Wallet may stay empty, in milliseconds: it is given SOL then, unless that fails. */
const GIFT_MS = 10_000

function useAwaitsGift(isEmpty: boolean): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    if (!isEmpty) return undefined
    const timer = setTimeout(() => setOver(true), GIFT_MS)
    return () => {
      clearTimeout(timer)
      setOver(false)
    }
  }, [isEmpty])
  return isEmpty && !over
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

/** What has happened to a checkout while its page was open. */
export interface History {
  /** A payment is reserved. */
  paying: boolean
  /** That payment is this player's. */
  mine: boolean
  /** This player's payment was delivered. */
  delivered: boolean
  /** A payment has ended unpaid. */
  reopened: boolean
  /** The payment from before a reload was accepted, and has ended unpaid since. */
  ended: boolean
}

export const nothing: History = { paying: false, mine: false, delivered: false, reopened: false, ended: false }

interface Now {
  /** undefined until it is read. */
  status: CheckoutStatus | undefined
  /** A payment of this player is reserved: a signed one alone may still be refused, because somebody else was faster. */
  isReserved: boolean
  /** The server has reserved for the payment from before a reload, and may have ended that meanwhile. */
  wasAccepted: boolean
  isDelivered: boolean
  isUnderWay: boolean
}

/** The history, after what is seen now. */
export function nextHistory(before: History, { status, isReserved, wasAccepted, isDelivered, isUnderWay }: Now): History {
  const ended = wasAccepted && (before.ended || (before.paying && status === 'open'))
  const mine = isReserved || (wasAccepted && !ended) || (before.mine && status !== 'open')
  const delivered = before.delivered || isDelivered || (mine && status === 'completed')
  return {
    paying: status === 'paying',
    mine,
    delivered,
    reopened: status === 'open' && !isUnderWay && !delivered && (before.reopened || before.paying),
    ended,
  }
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

/**
 * What a player has to do next. Who is signed in and has chosen a wallet before can pay at once: the press connects the wallet, too.
 */
export function stepOf(
  { phase, connected, chosen }: Pick<WalletState, 'phase' | 'connected' | 'chosen'>,
  { authorization, loading }: Pick<SessionState, 'authorization' | 'loading'>,
): Step {
  if (phase !== 'idle') return 'connecting'
  if (authorization === 'checking') return 'checking'
  if (authorization === 'signed-in') return connected || chosen !== undefined ? 'pay' : 'connect'
  if (!connected) return 'connect'
  return loading ? 'signing-in' : 'sign-in'
}

/** How often a refusal is asked for again, in milliseconds, in case its reason is gone. */
const AGAIN_MS = 10_000

/** Refusals because something has changed that the page shows: it is read again, and says so by itself. */
const stale = new Set<string>([
  'LISTING_HELD',
  'LISTING_NOT_ACTIVE',
  'LISTING_NOT_FOUND',
  'LISTING_FROZEN',
  'AMOUNT_NOT_LEFT',
  'NOT_DIVISIBLE',
  'PRICE_MOVED',
  'CHECKOUT_NOT_FOUND',
  'CHECKOUT_PAID',
  'CHECKOUT_PAYING',
  'CHECKOUT_EXPIRED',
  'CHECKOUT_DIFFERS',
  'INSUFFICIENT_SOL',
  'CO_SIGN_OFF',
  'UNAUTHORIZED',
  'SESSION_ENDED',
] satisfies ErrorCode[])

/**
 * Asks the server for an offer before the player presses anything, because it may refuse the player: another wallet is needed, or this one
 * is blocked. Nothing is reserved.
 *
 * @param order undefined if there is nothing to ask
 */
function usePreflight(order: Order | undefined): { code: string; message: string } | undefined {
  const asked = order?.items.map(({ listingId, amount, lamports }) => [listingId, amount, String(lamports)])
  const { error } = useQuery({
    queryKey: [...keys.offers, order?.checkout, asked],
    queryFn: async () => order && askOffer(order).catch(readAgain),
    enabled: order !== undefined,
    retry: false,
    refetchInterval: ({ state }) => (state.error ? AGAIN_MS : false),
    meta: { quiet: true },
  })
  return error instanceof ApiError && !stale.has(error.code) && lasts(error) ? error : undefined
}

/** @throws the same error */
function readAgain(error: unknown): never {
  if (error instanceof ApiError && stale.has(error.code)) {
    for (const queryKey of [keys.quotes, keys.checkouts, keys.config, keys.sol]) reload(queryKey)
  }
  throw error
}

/** Of those that pass by themselves, only a wait that was imposed on the player concerns the player. */
function lasts(error: ApiError): boolean {
  return error.code === 'COOLDOWN' || !isPassing(error)
}
