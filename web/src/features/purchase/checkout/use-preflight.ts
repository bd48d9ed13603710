import { type ErrorCode } from '@juicebar/contract/errors'
import { useQuery } from '@tanstack/react-query'

import { ApiError, isPassing } from '../../../api/api-error.ts'
import { keys } from '../../../api/queries.ts'
import { reload } from '../../../api/refresh-market.ts'
import { askOffer } from '../order/offer.ts'
import { type Order } from '../order/order.ts'

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
export function usePreflight(order: Order | undefined): { code: string; message: string } | undefined {
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
