import { type ErrorCode } from '@juicebar/contract/errors'
import { messages } from '@juicebar/contract/messages'

import { ApiError, asSentence, errorSentence } from '../../../api/api-error.ts'
import { hasCode, isUnexplained } from '../../../api/refusals.ts'
import { keys, reload } from '../../../api/queries.ts'
import { PaymentFailed } from '../../../payment/sign-payment.ts'
import { formatAmount, shortSeller } from '../../../ui/format.ts'
import { WalletError } from '../../../wallet/wallet-error.ts'
import { markGone } from '../order/change-basket.ts'
import { isOvertaken, overtakenText } from '../order/offer.ts'
import { type Order } from '../order/order.ts'

/** How far a purchase came before it failed. */
export interface Reached {
  /** The listing may be held although nobody said so. */
  mayBeHeld?: boolean | undefined
  /** The signed payment was sent. */
  sent?: boolean | undefined
  /** It is for a checkout, whose page has nothing but that purchase. */
  forCheckout?: boolean | undefined
}

/** What to tell the buyer of a failed purchase: what happened, whether SOL moved, and what to do. */
export function failureText(error: unknown, { mayBeHeld, sent, forCheckout = false }: Reached): string {
  const text = errorSentence(error, messages.purchaseFailed)
  if (error instanceof PaymentFailed) return text
  if (error instanceof WalletError) return `${text}. No SOL moved.`
  if (error instanceof ApiError && (error.code === 'PAUSED' || !isUnexplained(error))) return text
  if (sent) {
    const shows = forCheckout ? 'this page shows' : 'Needs attention and your history show'
    return `${asSentence(text)} Your payment was sent, so do not pay again: ${shows} what becomes of it.`
  }
  if (hasCode(error, 'CHAIN_BUSY')) return `${text} Nothing was held, and no SOL moved.`
  const certain = `${asSentence(text)} Your wallet was not asked, so no SOL moved.`
  if (!mayBeHeld) return certain
  return forCheckout
    ? `${certain} If the items were reserved for you all the same, you can pay for them here, or cancel.`
    : `${certain} If the listing was held for you, Needs attention shows it.`
}

/** Refusals because the market has moved since the buyer was shown the order. */
const moved = new Set<string>(['PRICE_MOVED', 'LISTING_FROZEN', 'LISTING_NOT_FOUND', 'NOT_DIVISIBLE'] satisfies ErrorCode[])

/**
 * What to tell the buyer of an order that the server refused as a whole, if that takes more than the server's own sentence. The listing
 * that it names is marked in the basket.
 *
 * @returns undefined if the server's sentence is enough, or if it is a different failure
 */
export function refusedText(error: unknown, { items, origin, checkout }: Order): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { code, listingId, message } = error
  // It may be the fee's rate that has risen; and who may send payments is one of the market's settings, too.
  if (code === 'PRICE_MOVED' || code === 'WALLET_SENDS_OFF') reload(keys.config)
  if (listingId !== undefined) markGone(listingId, message)
  const overtaken = isOvertaken(error)
  if (origin === 'quote' && (overtaken || moved.has(code))) {
    const text = overtaken ? overtakenText : 'The market has moved. Nothing was held, and no SOL moved.'
    // A checkout's page says itself what that means: another price, one above the game's limit, or too little for sale.
    return checkout === undefined ? `${text} This is the best price now; check it before you buy.` : text
  }
  const item = items.find((candidate) => candidate.listingId === listingId)
  if (items.length < 2) return undefined
  if (!item) return overtaken ? overtakenText : undefined
  const listing = `${formatAmount(item.amount)} ${item.tokenName} of ${shortSeller(item.seller)}: ${message}`
  return overtaken ? `${overtakenText} ${listing}` : `${listing} Nothing was held, and no SOL moved.`
}
