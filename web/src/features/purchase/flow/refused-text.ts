import { type ErrorCode } from '@juicebar/contract/errors'

import { ApiError } from '../../../api/api-error.ts'
import { keys } from '../../../api/queries.ts'
import { reload } from '../../../api/refresh-market.ts'
import { formatAmount, shortSeller } from '../../../ui/format.ts'
import { markGone } from '../order/basket-store.ts'
import { type Order } from '../order/order.ts'
import { isOvertaken, overtakenText } from '../order/overtaken.ts'

/** Refusals because the market has moved since the buyer was shown the order. */
const moved = new Set<string>(['PRICE_MOVED', 'LISTING_FROZEN', 'LISTING_NOT_FOUND', 'NOT_DIVISIBLE'] satisfies ErrorCode[])

/**
 * What to tell the buyer of an order that the server refused as a whole, if that takes more than the server's own sentence. The listing
 * that it names is marked in the basket.
 *
 * @returns undefined if the server's sentence is enough, or if it is a different failure
 */
export function refusedText(error: unknown, { items, origin }: Order): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { code, listingId, message } = error
  // It may be the fee's rate that has risen; and who may send payments is one of the market's settings, too.
  if (code === 'PRICE_MOVED' || code === 'WALLET_SENDS_OFF') reload(keys.config)
  if (listingId !== undefined) markGone(listingId, message)
  const overtaken = isOvertaken(error)
  if (origin === 'quote' && overtaken) return `${overtakenText} This is the best price now; check it before you buy.`
  if (origin === 'quote' && moved.has(code)) {
    return 'The market has moved. Nothing was held, and no SOL moved. This is the best price now; check it before you buy.'
  }
  const item = items.find((candidate) => candidate.listingId === listingId)
  if (items.length < 2) return undefined
  if (!item) return overtaken ? overtakenText : undefined
  const listing = `${formatAmount(item.amount)} ${item.tokenName} of ${shortSeller(item.seller)}: ${message}`
  return overtaken ? `${overtakenText} ${listing}` : `${listing} Nothing was held, and no SOL moved.`
}
