import { type Reply } from '@juicebar/contract/calls'

import { call } from '../../../api/client.ts'
import { orderBody } from '../order/offer.ts'
import { totalOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'

/** What is held for the buyer, and the exact payment for it. */
export type Hold = Reply<'purchase'>['transactionDetails']

/**
 * Holds all of an order for the player, or nothing, and never for more than the buyer confirmed. Called again, it returns the same
 * hold.
 *
 * @throws ApiError
 */
export async function holdOrder(order: Order): Promise<Hold> {
  const body = { ...orderBody(order), maxLamports: String(totalOf(order)), transfers: true }
  return (await call('purchase', { body })).transactionDetails
}
