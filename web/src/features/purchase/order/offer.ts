import { type Reply } from '@juicebar/contract/calls'
import { type ErrorCode } from '@juicebar/contract/errors'
import { queryOptions } from '@tanstack/react-query'

import { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { keys } from '../../../api/queries.ts'
import { totalOf } from './order-terms.ts'
import { type Order, type OrderItem } from './order.ts'

/** What a payment that only the market can send has to contain. It reserves nothing. */
export type Offer = Reply<'offer'>['offer']

type Ordered = Pick<OrderItem, 'listingId' | 'amount'>

/** With the amount, a listing that has less left is refused instead of being bought with the rest. */
function orderedItems(items: readonly Ordered[]): Ordered[] {
  return items.map(({ listingId, amount }) => ({ listingId, amount }))
}

/** What every call that buys is told of an order. */
export function orderBody({ items, checkout }: Pick<Order, 'checkout'> & { items: readonly Ordered[] }) {
  return { items: orderedItems(items), ...(checkout !== undefined && { checkout }) }
}

/** The terms on which a listing, or a part of it, can be bought now. Asked once: before anything is paid, they are asked for again. */
export function offerQuery(item: Ordered) {
  return queryOptions({
    queryKey: [...keys.offers, item.listingId, item.amount],
    queryFn: async ({ signal }) => (await call('offer', { body: orderBody({ items: [item] }), signal })).offer,
    retry: false,
    meta: { quiet: true },
  })
}

/**
 * Asks what to pay for an order, never for more than the buyer confirmed.
 *
 * @throws ApiError
 */
export async function askOffer(order: Order): Promise<Offer> {
  return (await call('offer', { body: { ...orderBody(order), maxLamports: String(totalOf(order)) } })).offer
}

/** The order that an offer becomes when the buyer accepts its terms. */
export function orderOfOffer({ items, fee }: Offer, ordered: Pick<Order, 'origin' | 'checkout'>): Order {
  const { origin, checkout } = ordered
  return { items: items.map((item) => ({ ...item, lamports: BigInt(item.lamports) })), fee: BigInt(fee.lamports), origin, checkout }
}

/** Refusals because somebody else has what the buyer wanted. */
const codes = new Set<string>(['LISTING_HELD', 'LISTING_NOT_ACTIVE', 'AMOUNT_NOT_LEFT'] satisfies ErrorCode[])

export const overtakenText = 'Someone else was faster. Your payment was not sent.'

/** A purchase of one listing that somebody else has bought, or is buying. The next best offer is what the buyer wants to see. */
export class Overtaken extends Error {
  constructor(cause: unknown) {
    super(overtakenText, { cause })
    this.name = 'Overtaken'
  }
}

/** True if the server refused an order because somebody else was faster. */
export function isOvertaken(error: unknown): error is ApiError {
  return error instanceof ApiError && codes.has(error.code)
}
