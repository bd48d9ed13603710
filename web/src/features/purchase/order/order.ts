import { type TokenType } from '@juicebar/contract/catalogue'
import { partPrice } from '@juicebar/contract/money'
import { type Listing, type PublicConfig, type Purchase } from '@juicebar/contract/schemas'

import { type Connection } from '../../../wallet/wallet-store.ts'

/** A listing, or a part of one, as the buyer was shown it. */
export interface OrderItem {
  /** The listing on the market; for a part, the listing that it is taken from. */
  listingId: string
  seller: string
  tokenType: TokenType
  tokenName: string
  /** How many drinks. */
  amount: number
  /** What the seller receives. */
  lamports: bigint
}

/** What one payment buys, as the buyer confirmed it. */
export interface Order {
  items: readonly OrderItem[]
  /** What the studio receives on top, in lamports. */
  fee: bigint
  /** quote: the cheapest drinks at the moment, from any seller. chosen: exactly these listings. held: listings that are held for the buyer already. */
  origin: 'quote' | 'chosen' | 'held'
  /** The public identifier of the checkout that it pays for. */
  checkout?: string | undefined
}

/** What a part of a listing costs, in lamports. */
export function partLamports(listing: Pick<Listing, 'lamports' | 'amount'>, amount: number): bigint {
  return partPrice({ amount: listing.amount, lamports: BigInt(listing.lamports) }, amount)
}

/** A listing, or a part of it, as an item of an order. */
export function orderItemOf(listing: Listing, amount: number): OrderItem {
  const { _id: listingId, seller, tokenType, tokenName } = listing
  return { listingId, seller, tokenType, tokenName, amount, lamports: partLamports(listing, amount) }
}

/** An order to pay for. */
export interface Payment {
  order: Order
  connection: Connection
  network: PublicConfig['network']
  /** Aborted, with a PurchaseStopped, when the buyer cancels; it has no effect while the wallet is asked, and afterwards. */
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/** A purchase whose payment is under way, and the payment's transaction. */
export interface PaidPurchase extends Pick<Purchase, 'purchaseId' | 'coSigned'> {
  /** The listing, or the first of several. */
  listingId: string
  signature: string
}

/** How far a purchase has come: `approve` while the wallet is asked, `signed` until the server has answered for what it signed. */
export type PurchaseStep = (typeof purchaseSteps)[number] | 'signed'

/** Of a wallet that took too long: it is being asked once more, or it will be when the buyer says so. */
export type Again = 'asked' | 'waits'

/** A change in a purchase under way. */
export interface Progress {
  step?: PurchaseStep
  /** With the first step, and at the hold: what the wallet is asked to pay, which may be less than the buyer confirmed. */
  order?: Order
  /** At the hold: the milliseconds left to pay. */
  payMillisLeft?: number
  /** The server is too busy for the purchase: the milliseconds until the next attempt. */
  retryMillis?: number
  again?: Again
  /** The server has not said what becomes of the signed payment, which is submitted again until it does. */
  unanswered?: true
}

/** The steps of a purchase as the buyer sees them, in order. */
export const purchaseSteps = ['approve', 'sent', 'confirmed', 'delivered'] as const

/** How many of them are done. */
export const stepsDone: Record<PurchaseStep, number> = { approve: 0, signed: 1, sent: 2, confirmed: 3, delivered: 4 }

export const stepLabels: Record<(typeof purchaseSteps)[number], string> = {
  approve: 'Approve in your wallet',
  sent: 'Sent',
  confirmed: 'Confirmed',
  delivered: 'Delivered',
}

/** The last step that a purchase has reached. */
export function stepOf(purchase: Pick<Purchase, 'stage'>): (typeof purchaseSteps)[number] {
  return purchase.stage === 'none' ? 'approve' : purchase.stage
}
