import { ApiError } from '../../../api/api-error.ts'
import { signWithoutSending } from '../../../payment/sign-payment.ts'
import { transactionVersion } from '../../../wallet/signatures.ts'
import { WALLET_TIMEOUT_MS } from '../../../wallet/wallet-store.ts'
import { askOffer, type Offer, orderOfOffer } from '../order/offer.ts'
import { requireAsConfirmed } from '../order/order-terms.ts'
import { type Order, type PaidPurchase, type Payment } from '../order/order.ts'
import { requireSameWallet, waitWhileBusy } from '../order/wait-while-busy.ts'
import { submitUntilAnswered } from './kept-payment.ts'

export interface CoSignedPayment extends Payment {
  /** Whether the wallet may open without a press of the buyer, as it may not on a phone. */
  opensByItself: boolean
  /** Resolves when the buyer presses the button that asks the wallet once more. */
  untilPressed: (signal: AbortSignal) => Promise<void>
}

/**
 * Has the wallet sign a payment that only the market can send, and submits it. Nothing is held meanwhile. If the wallet took longer than the
 * chain allows, it is asked once more, for the same total or less: at once the first time if it may open by itself, else when the buyer says so.
 *
 * @throws PaymentFailed if the wallet signed nothing; PurchaseStopped if it was not asked; ApiError if the server refuses
 */
export async function payCoSigned(payment: CoSignedPayment): Promise<PaidPurchase> {
  const { signal, onProgress, connection } = payment
  let { order } = payment
  for (let opensByItself = payment.opensByItself; ; opensByItself = false) {
    const offer = await offerFor(order, payment)
    order = orderOfOffer(offer, order)
    onProgress({ step: 'approve', order })
    const transaction = await signed(offer, payment)
    try {
      return await submit(offer, order, transaction, payment)
    } catch (error) {
      if (!isExpired(error)) throw error
    }
    if (!opensByItself) {
      onProgress({ again: 'waits' })
      await payment.untilPressed(signal)
    }
    onProgress({ again: 'asked' })
    requireSameWallet(connection)
  }
}

async function offerFor(order: Order, { connection, signal, onProgress }: Payment): Promise<Offer> {
  const onBusy = (retryMillis: number) => onProgress({ retryMillis })
  const offer = await waitWhileBusy(() => askOffer(order), { connection, signal, onBusy })
  signal.throwIfAborted()
  requireAsConfirmed(order, offer)
  return offer
}

async function signed(offer: Offer, { connection, network }: Payment): Promise<string> {
  const [{ buildPayment }, { base64 }] = await Promise.all([import('../../../payment/build-payment.ts'), import('@scure/base')])
  const transaction = buildPayment({
    from: connection.account.address,
    transfers: offer.transfers.map(({ to, lamports }) => ({ to, lamports: BigInt(lamports) })),
    reference: offer.reference,
    coSigner: offer.coSigner,
    version: transactionVersion(connection.wallet),
    lifetime: { blockhash: offer.blockhash, lastValidBlockHeight: BigInt(offer.lastValidBlockHeight) },
  })
  return base64.encode(await signWithoutSending(connection, { transaction, network, timeout: WALLET_TIMEOUT_MS }))
}

async function submit(offer: Offer, order: Order, transaction: string, { connection, onProgress }: Payment): Promise<PaidPurchase> {
  const walletAddress = connection.account.address
  const { purchaseId, signature } = await submitUntilAnswered({ walletAddress, order, reference: offer.reference, transaction }, () =>
    onProgress({ unanswered: true }),
  )
  return { purchaseId, listingId: offer.items[0]?.listingId ?? '', signature, coSigned: true }
}

function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'PAYMENT_EXPIRED'
}
