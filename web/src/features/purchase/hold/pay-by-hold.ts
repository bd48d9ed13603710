import { type Reply } from '@juicebar/contract/calls'
import { messages } from '@juicebar/contract/messages'
import { type PublicConfig, type Purchase } from '@juicebar/contract/schemas'

import { ApiError, asSentence, errorSentence } from '../../../api/api-error.ts'
import { isUnexplained } from '../../../api/refusals.ts'
import { readLatestBlockhash } from '../../../api/chain.ts'
import { call } from '../../../api/client.ts'
import { retryPassing } from '../../../api/retry-passing.ts'
import { PaymentFailed, signPayment } from '../../../payment/sign-payment.ts'
import { submitPayment } from '../../../payment/submit-payment.ts'
import { transactionVersion } from '../../../wallet/signatures.ts'
import { WalletError } from '../../../wallet/wallet-error.ts'
import { type Connection } from '../../../wallet/wallet-store.ts'
import { orderBody } from '../order/offer.ts'
import { orderOf, requireAsConfirmed, totalOf } from '../order/order-terms.ts'
import { type Order, type PaidPurchase, type Payment } from '../order/order.ts'
import { waitWhileBusy } from '../order/wait-while-busy.ts'

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
  const { items, fee } = orderOf(hold)
  onProgress({ payMillisLeft, order: { ...order, items, fee } })
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

/** How long to try to read a blockhash, in milliseconds: the buyer waits for it before the wallet opens. */
const BLOCKHASH_TIMEOUT_MS = 10_000

/** An outage extends the time to pay by at most the same time again. */
const MOST_EXTENDED = 2

/**
 * Has the wallet sign the payment of a hold, and makes sure that it is sent.
 *
 * @returns the transaction's signature in base58
 * @throws PaymentFailed or ApiError
 */
async function payHold(hold: Hold, connection: Connection, network: PublicConfig['network']): Promise<string> {
  const [{ buildPayment }, { base58 }, lifetime] = await Promise.all([
    import('../../../payment/build-payment.ts'),
    import('@scure/base'),
    retryPassing(readLatestBlockhash, BLOCKHASH_TIMEOUT_MS),
  ])
  const transaction = buildPayment({
    from: connection.account.address,
    transfers: hold.transfers.map(({ to, lamports }) => ({ to, lamports: BigInt(lamports) })),
    reference: hold.reference,
    version: transactionVersion(connection.wallet),
    lifetime,
  })
  const payment = await signPayment(connection, {
    transaction,
    network,
    timeout: hold.payMillisLeft,
    ifUnsure: 'If your wallet shows the payment as sent, do not pay again: we will find it on the chain and deliver.',
  })
  if ('sentAs' in payment) return base58.encode(payment.sentAs)
  const { signature } = await submitPayment({
    signed: payment.signed,
    submit: (bytes) => call('submitPayment', { params: { id: hold.purchaseId }, body: { transaction: bytes } }),
    timeout: hold.payMillisLeft * MOST_EXTENDED,
    ifUnanswered:
      'The server did not say what became of your payment, so it is not known yet whether SOL moved. Do not pay again: this page shows the outcome as soon as the server answers.',
  })
  return signature
}

/** What is held for the buyer, and the exact payment for it. */
type Hold = Reply<'purchase'>['transactionDetails']

/**
 * Holds all of an order for the player, or nothing, and never for more than the buyer confirmed. Called again, it returns the same
 * hold.
 *
 * @throws ApiError
 */
async function holdOrder(order: Order): Promise<Hold> {
  const body = { ...orderBody(order), maxLamports: String(totalOf(order)), transfers: true }
  return (await call('purchase', { body })).transactionDetails
}

/**
 * Cancels a hold that is not paid.
 *
 * @returns the closed purchase
 * @throws ApiError
 */
export async function cancelHold(purchaseId: string): Promise<Purchase> {
  return (await call('cancelPurchase', { params: { id: purchaseId } })).purchase
}
