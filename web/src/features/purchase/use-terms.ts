import { CO_SIGNED_FEE_LAMPORTS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { feeAt } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { ApiError, isPassing } from '../../api/api-error.ts'
import { configQuery, keys } from '../../api/queries.ts'
import { reload } from '../../api/refresh-market.ts'
import { useDebounced } from '../../ui/amount/use-debounced.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { orderItemOf } from './order/order-item.ts'
import { offerQuery, orderOfOffer } from './order/offer.ts'
import { type Order, type OrderItem } from './order/order.ts'
import { isOvertaken } from './order/overtaken.ts'
import { wayToPay } from './way-to-pay.ts'

interface Terms {
  order: Order & { items: readonly [OrderItem] }
  /** The rate of the studio's fee. */
  basisPoints: number
  /** In lamports, for the signatures of the payment. */
  networkFee: bigint
  /** Why it cannot be bought, in the server's words; undefined if nothing is known against it. */
  refusal: string | undefined
  /** Somebody else was faster. */
  overtaken: boolean
  /** The terms are the market's on the screen: the server is being asked for its own. */
  isOld: boolean
}

/**
 * The terms on which a listing, or a part of it, can be bought: as the server offers them, if the payment is one that only the market can
 * send. If the server cannot say so now, they are those of the listing on the screen, and no more is paid than that.
 *
 * @param amount undefined for all of the listing, of which nothing is asked then
 */
export function useTerms(listing: Listing, amount: number | undefined): Terms {
  const { data: config } = useQuery(configQuery)
  const wallet = useWallet(({ connected }) => connected?.wallet)
  const coSigned = config !== undefined && wallet !== undefined && wayToPay(wallet, config) === 'co-signed'
  const asked = useDebounced(amount)
  const enabled = coSigned && asked !== undefined
  const { data: offer, error, isPending } = useQuery({ ...offerQuery({ listingId: listing._id, amount: asked ?? 1 }), enabled })
  const isOff = error instanceof ApiError && error.code === 'CO_SIGN_OFF'
  useEffect(() => {
    if (isOff) reload(keys.config)
  }, [isOff])

  const basisPoints = config?.fee.basisPoints ?? 0
  const item = orderItemOf(listing, amount ?? listing.amount)
  const shown: Terms = {
    order: { items: [item], fee: feeAt(item.lamports, basisPoints), origin: 'chosen' },
    basisPoints,
    networkFee: coSigned ? CO_SIGNED_FEE_LAMPORTS : SIGNATURE_FEE_LAMPORTS,
    refusal: undefined,
    overtaken: false,
    isOld: false,
  }
  if (!enabled || isOff) return shown
  if (asked !== amount || (isPending && !error)) return { ...shown, isOld: true }
  if (error) return { ...shown, overtaken: isOvertaken(error), refusal: isPassing(error) ? undefined : error.message }
  const { items, fee } = orderOfOffer(offer, { origin: 'chosen' })
  const [offered] = items
  return offered ? { ...shown, order: { items: [offered], fee, origin: 'chosen' }, basisPoints: offer.fee.basisPoints } : shown
}
