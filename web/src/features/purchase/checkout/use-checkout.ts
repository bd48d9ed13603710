import { type ErrorCode } from '@juicebar/contract/errors'
import { CO_SIGNED_FEE_LAMPORTS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { ApiError, isPassing } from '../../../api/api-error.ts'
import { hasCode } from '../../../api/refusals.ts'
import { solQuery } from '../../../api/chain.ts'
import { configQuery, keys, reload } from '../../../api/queries.ts'
import { type SessionState, useSession } from '../../../session/session-store.ts'
import { useWallet, type WalletState } from '../../../wallet/wallet-store.ts'
import { DEMO_WALLET } from '../../../wallet/wallet.ts'
import { type Quote, quotedOrder, quotedTotal, quoteQuery } from '../best-price/quote.ts'
import { askOffer } from '../order/offer.ts'
import { type Order } from '../order/order.ts'
import { wayToPay } from '../way-to-pay.ts'
import { checkoutQuery, type ReadCheckout } from './checkout-query.ts'
import { type UnderWay, useOwnPayment } from './own-payment.ts'
import { type Screen, screenOf, type Step } from './screen.ts'

/** How often to ask for the price again, in milliseconds, because events may be lost. */
const PRICE_MS = 10_000

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
  /** When the purchase under way was read. */
  readAt: number
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
  const { underWay, ordered, delivered, reopened, readAt } = useOwnPayment(publicId, checkout ?? undefined, walletAddress)
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
  const step = stepOf(wallet, session)
  const awaitsGift = useAwaitsGift(step === 'pay' && !sol && wallet.connected?.wallet.name === DEMO_WALLET)
  const screen = screenOf({
    checkout,
    away,
    underWay: isUnderWay,
    delivered,
    timeIsUp,
    paused: config?.pause?.message,
    delisted: hasCode(quoteError, 'TOKEN_TYPE_UNKNOWN'),
    price: quote && { amount: quote.amount, complete: quote.complete, total: quotedTotal(quote) },
    walletAddress,
    cannotPay,
    refusal,
    sol,
    networkFee,
    step: awaitsGift ? 'checking' : step,
  })
  return { screen, checkout: checkout ?? undefined, quote, order, underWay, ordered, readAt, networkFee, reopened }
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
