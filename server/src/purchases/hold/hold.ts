import { type EndReason } from '@juicebar/contract/schemas'

import { type BuyOrder } from '../reservation/order.ts'

export interface HoldOrder extends Omit<BuyOrder, 'kind' | 'fee' | 'payment' | 'funds'> {
  /** The payment link that the buyer's wallet uses: nothing proves that the request comes from the buyer. */
  payLink?: string | undefined
}

/** The facts that decide how an open hold ends. */
export interface HoldState {
  /** Only this product sends the payment: a co-signed one, or a hold of before 0.3.0. */
  serverSends: boolean
  cancelRequested: boolean
  windowClosed: boolean
  /** Signed bytes are recorded for the hold. */
  paymentRecorded: boolean
}

/**
 * The reason to end a hold without asking the chain: only this product could have sent its payment, and it never received one.
 * @returns undefined if a payment may be on its way.
 */
export function endsUnsent(hold: HoldState): EndReason | undefined {
  if (!hold.serverSends || hold.paymentRecorded) return undefined
  if (hold.cancelRequested) return 'cancelled'
  return hold.windowClosed ? 'lapsed' : undefined
}

/** The reason to end a hold once the chain has proved that no payment has landed and none can. */
export function endsUnpaid(hold: HoldState): EndReason | undefined {
  if (!hold.windowClosed) return undefined
  if (hold.paymentRecorded) return 'expired'
  return hold.cancelRequested ? 'cancelled' : 'lapsed'
}
