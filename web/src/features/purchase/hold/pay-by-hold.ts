import { messages } from '@juicebar/contract/messages'

import { ApiError, asSentence, errorSentence, isUnexplained } from '../../../api/api-error.ts'
import { PaymentFailed } from '../../../payment/payment-failed.ts'
import { WalletError } from '../../../wallet/wallet-error.ts'
import { requireAsConfirmed } from '../order/order-terms.ts'
import { type PaidPurchase, type Payment } from '../order/payment.ts'
import { waitWhileBusy } from '../order/wait-while-busy.ts'
import { cancelHold } from './cancel-hold.ts'
import { holdOrder } from './hold-order.ts'
import { payHold } from './pay-hold.ts'

const kept = 'Your items stay reserved for you until the time to pay runs out: pay for them, or cancel the purchase.'

/**
 * Holds an order and has the wallet pay for it, within the time to pay. A hold that the buyer declines to pay for is cancelled.
 *
 * @throws PaymentFailed, with whether SOL moved and what to do; PurchaseStopped if the wallet was not asked; ApiError if nothing was held
 */
export async function payByHold({ order, connection, network, signal, onProgress }: Payment): Promise<PaidPurchase> {
  const hold = await waitWhileBusy(() => holdOrder(order), {
    connection,
    signal,
    onBusy: (retryMillis) => onProgress({ retryMillis }),
  })
  const { purchaseId, listingId, payMillisLeft } = hold
  if (signal.aborted) await cancelHold(purchaseId)
  signal.throwIfAborted()
  requireAsConfirmed(order, hold)
  onProgress({ payMillisLeft })
  try {
    const signature = await payHold(hold, connection, network)
    return { purchaseId, listingId, signature, coSigned: false }
  } catch (error) {
    throw await explained(error, purchaseId)
  }
}

async function explained(error: unknown, purchaseId: string): Promise<unknown> {
  if (error instanceof PaymentFailed) {
    if (!error.nothingSigned) return error
    const text = `${error.message} ${await afterRefusal(error, purchaseId)}`
    return new PaymentFailed(text, { nothingSigned: true, cause: error.cause })
  }
  if (error instanceof ApiError && (error.code === 'PAUSED' || !isUnexplained(error))) return error
  const text = `${asSentence(errorSentence(error, messages.purchaseFailed))} Your wallet was not asked, so no SOL moved. ${kept}`
  return new PaymentFailed(text, { nothingSigned: true, cause: error })
}

async function afterRefusal({ cause }: PaymentFailed, purchaseId: string): Promise<string> {
  if (!(cause instanceof WalletError) || cause.kind !== 'rejected') return kept
  // A buyer who declined no longer wants the listing.
  const cancelled = await cancelHold(purchaseId).then(
    () => true,
    () => false,
  )
  return `The listing is free again once ${cancelled ? 'the network shows that nothing was paid' : 'the time to pay has run out'}.`
}
