import { type Body, type Reply } from '@juicebar/contract/calls'

import { ApiError, isPassing } from '../../../api/api-error.ts'
import { hasCode, isUnexplained } from '../../../api/refusals.ts'
import { call } from '../../../api/client.ts'
import { pause } from '../../../api/retry-passing.ts'
import { PaymentFailed, signWithoutSending } from '../../../payment/sign-payment.ts'
import { useSession } from '../../../session/session-store.ts'
import { transactionVersion } from '../../../wallet/signatures.ts'
import { WALLET_TIMEOUT_MS } from '../../../wallet/wallet-store.ts'
import { parseRecord, readItems, writeItems } from '../order/basket.ts'
import { askOffer, type Offer, orderBody, orderOfOffer } from '../order/offer.ts'
import { requireAsConfirmed } from '../order/order-terms.ts'
import { type Order, type PaidPurchase, type Payment } from '../order/order.ts'
import { requireSameWallet, waitWhileBusy } from '../order/wait-while-busy.ts'

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
    onProgress({ step: 'signed' })
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
  return hasCode(error, 'PAYMENT_EXPIRED')
}

/** A payment that the buyer has signed, and that the server has not answered for yet. */
export interface SignedPayment {
  walletAddress: string
  order: Order
  /** Of the offer that it pays. */
  reference: string
  /** The transaction in base64: the buyer's signature in place, the co-signer's empty. */
  transaction: string
}

/** The session storage key: another tab neither sees the payment nor repeats it. */
const KEY = 'signedPayment'

/** The transaction that this page itself submits. */
let submittedHere: string | undefined

/** What the server is sent for a signed payment; always the same, however often. */
export function bodyOf({ order, reference, transaction }: SignedPayment): Body<'pay'> {
  return { ...orderBody(order), reference, transaction }
}

/** Keeps a payment over a reload of this tab. */
export function keepPayment({ walletAddress, order, reference, transaction }: SignedPayment): void {
  submittedHere = transaction
  const { origin, checkout } = order
  sessionStorage.setItem(
    KEY,
    JSON.stringify({ walletAddress, items: writeItems(order.items), fee: String(order.fee), origin, checkout, reference, transaction }),
  )
}

export function forgetPayment(): void {
  submittedHere = undefined
  sessionStorage.removeItem(KEY)
}

/** The payment of this wallet that a reload has interrupted, if there is one. A payment of another wallet is forgotten. */
export function readInterrupted(walletAddress: string): SignedPayment | undefined {
  const text = sessionStorage.getItem(KEY)
  if (text === null) return undefined
  const payment = read(text)
  if (payment?.walletAddress !== walletAddress) {
    forgetPayment()
    return undefined
  }
  return payment.transaction === submittedHere ? undefined : payment
}

function read(text: string): SignedPayment | undefined {
  const kept = parseRecord(text) ?? {}
  const { walletAddress, fee, checkout, reference, transaction } = kept
  const items = readItems(kept['items'])
  if (typeof walletAddress !== 'string' || typeof reference !== 'string' || typeof transaction !== 'string') return undefined
  if (typeof fee !== 'string' || !/^\d{1,18}$/.test(fee) || items.length === 0) return undefined
  if (checkout !== undefined && typeof checkout !== 'string') return undefined
  const origin = kept['origin'] === 'quote' ? 'quote' : 'chosen'
  return { walletAddress, order: { items, fee: BigInt(fee), origin, checkout }, reference, transaction }
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000

/**
 * Submits a signed payment, the same bytes again until the server accepts or refuses them for good. Meanwhile it is kept over a reload.
 *
 * @param onUnanswered called after each attempt that decided nothing
 * @returns the purchase, and the transaction's signature
 * @throws ApiError: this payment will never be sent; PaymentFailed if its wallet is no longer signed in, so that nobody can ask
 */
export async function submitUntilAnswered(payment: SignedPayment, onUnanswered: () => void): Promise<Reply<'pay'>> {
  keepPayment(payment)
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const reply = await call('pay', { body: bodyOf(payment) })
      forgetPayment()
      return reply
    } catch (error) {
      requireSignedIn(payment, error)
      if (isFinal(error)) {
        forgetPayment()
        throw error
      }
      onUnanswered()
      await pause(Math.max(wait, retryAfterMillis(error)))
      requireSignedIn(payment, error)
    }
  }
}

function requireSignedIn({ walletAddress }: SignedPayment, cause: unknown): void {
  if (useSession.getState().user?.walletAddress === walletAddress) return
  forgetPayment()
  throw new PaymentFailed(
    'You were signed out before the server said what became of your payment, so it is not known yet whether SOL moved. Do not pay again: sign in with the same wallet, and your history shows it.',
    { nothingSigned: false, cause },
  )
}

/** False as long as the server may still decide, or may have decided otherwise. A pause is a decision, too. */
function isFinal(error: unknown): boolean {
  return !(isPassing(error) || isUnexplained(error)) || hasCode(error, 'PAUSED')
}

function retryAfterMillis(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfter ?? 0) * 1_000 : 0
}
