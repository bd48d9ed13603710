import { type Body } from '@juicebar/contract/calls'

import { orderBody } from '../order/offer.ts'
import { parseRecord, readItems, writeItems } from '../order/kept-items.ts'
import { type Order } from '../order/order.ts'

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
