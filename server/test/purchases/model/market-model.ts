import { type ErrorCode } from '@juicebar/contract/errors'

import { canDeliver, sellersOf } from './market-listings.ts'

/**
 * The market as its protocol describes it: what the product must do in each state, written independently of how it does it.
 * Listings, with their parts, purchases and payments are numbered in the order in which they came, sellers and buyers from 0.
 */
export interface MarketModel {
  /** Of the market's fee: hundredths of a percent. */
  basisPoints: number
  listings: ListingModel[]
  purchases: PurchaseModel[]
  payments: PaymentModel[]
}

/** A listing, or a part of one. */
export interface ListingModel {
  /** The product's name for it. */
  id: string
  seller: number
  /** What is left of it, and what that costs. */
  amount: number
  price: bigint
  divisible: boolean
  partOf: number | undefined
  state: 'active' | 'reserved' | 'sold' | 'removed' | 'merged'
  heldBy: number | undefined
}

export interface ItemModel {
  /** What is held, or was: a listing or a part. */
  listing: number
  seller: number
  amount: number
  lamports: bigint
}

export interface PurchaseModel {
  items: ItemModel[]
  fee: bigint
  buyer: number
  sendsThrough: 'server' | 'wallet'
  state: 'held' | 'settled' | 'ended'
  /** The payment window is closed, by time or because the buyer cancelled. */
  windowClosed: boolean
  cancelRequested: boolean
  /** The payment that was submitted. */
  recorded: number | undefined
  /** The payment that settled it. */
  paidBy: number | undefined
  /** Its buyer cancelled it or let it lapse, and submitted no payment. */
  abandoned: boolean
}

/**
 * exact: as agreed. wrong: one lamport more. missing: without the last of several transfers. unreferenced: a single transfer as agreed,
 * but without a reference. wrongUnreferenced: that, and of another sum.
 */
export const paymentKinds = ['exact', 'wrong', 'missing', 'unreferenced', 'wrongUnreferenced'] as const
export type PaymentKind = (typeof paymentKinds)[number]

/** A payment that the chain accepted. */
export interface PaymentModel {
  purchase: number
  kind: PaymentKind
  /** The sellers who received SOL. */
  paid: number[]
  rolledBack: boolean
  /** Its refund is under way or paid: it can no longer be delivered. */
  refunding: boolean
  /** It came too late, and once it looked as if it could never be delivered. */
  hopeless: boolean
}

export type Expected = 'done' | ErrorCode

/** Its window is closed, and only the server could have sent a payment, but received none: it ends without asking the chain. */
export function endsUnsent({ state, sendsThrough, windowClosed, recorded }: PurchaseModel): boolean {
  return state === 'held' && sendsThrough === 'server' && windowClosed && recorded === undefined
}

/** It has one recipient, so what it is paid with needs no reference. */
export function isSingleTransfer({ items, fee }: PurchaseModel): boolean {
  return sellersOf(items).length === 1 && fee === 0n
}

export function expectedRemoval({ listings }: MarketModel, number: number): Expected {
  const listing = listings[number]
  if (listing?.state !== 'active' && listing?.state !== 'reserved') return 'LISTING_NOT_ACTIVE'
  return listing.heldBy === undefined ? 'done' : 'LISTING_HELD_BY_BUYER'
}

export function expectedCancellation({ state, recorded }: PurchaseModel): Expected {
  return state === 'held' && recorded !== undefined ? 'PAYMENT_UNDER_WAY' : 'done'
}

/** What becomes of transaction bytes that are submitted for the first time. */
export function expectedSubmission({ state, windowClosed, recorded }: PurchaseModel, kind: PaymentKind): Expected {
  if (kind !== 'exact') return 'PAYMENT_REFUSED'
  if (state !== 'held') return 'HOLD_ENDED'
  if (recorded !== undefined) return 'PAYMENT_DIFFERS'
  return windowClosed ? 'HOLD_ENDED' : 'done'
}

/** What a buyer gets for confirming a payment that the chain accepted. */
export function expectedConfirmation(model: MarketModel, number: number): 'settled' | 'pending' | ErrorCode {
  const payment = paymentOf(model, number)
  const purchase = purchaseOf(model, payment)
  if (purchase.paidBy === number) return 'settled'
  if (payment.rolledBack) return 'pending'
  return mayDeliver(model, payment) ? 'settled' : 'PAYMENT_CASE'
}

/** Whether this payment moves tokens once it is found. */
export function mayDeliver(model: MarketModel, payment: PaymentModel): boolean {
  const purchase = purchaseOf(model, payment)
  if (payment.rolledBack || payment.refunding) return false
  if (purchase.state === 'held') return payment.kind === 'exact' || payment.kind === 'unreferenced'
  return purchase.state === 'ended' && payment.kind === 'exact' && canDeliver(model, payment.purchase)
}

/** Whether reconciliation finds this payment: by its recorded bytes, by its reference, or among its buyer's transactions. */
export function isFoundByItself(model: MarketModel, { purchase: number, kind }: PaymentModel): boolean {
  if (kind === 'exact' || kind === 'wrong' || kind === 'missing') return true
  const purchase = model.purchases[number]
  return kind === 'unreferenced' && purchase?.sendsThrough === 'wallet' && purchase.state !== 'settled'
}

/**
 * The purchases that this payment may be reported for. One that names none, and comes too late for its own, may also count as a second
 * payment for another that its buyer paid for with the same sum, to the same seller.
 */
export function reportedFor(model: MarketModel, payment: PaymentModel): number[] {
  const own = payment.purchase
  if (payment.kind !== 'unreferenced') return [own]
  const isAlike = (other: PurchaseModel) =>
    other.state === 'settled' && isSingleTransfer(other) && sumOf(other) === sumOf(purchaseOf(model, payment))
  return [own, ...model.purchases.flatMap((other, number) => (number !== own && isAlike(other) ? number : []))]
}

/** Who pays how much to whom. */
function sumOf({ buyer, items }: PurchaseModel): string {
  return [buyer, ...sellersOf(items), items.reduce((sum, { lamports }) => sum + lamports, 0n)].join(' ')
}

/** Why an unpaid hold ends. */
export function endReasonOf({ recorded, cancelRequested }: PurchaseModel): 'expired' | 'cancelled' | 'lapsed' {
  if (recorded !== undefined) return 'expired'
  return cancelRequested ? 'cancelled' : 'lapsed'
}

export function purchaseOf(model: MarketModel, { purchase }: PaymentModel): PurchaseModel {
  const found = model.purchases[purchase]
  if (!found) throw new Error(`no purchase ${purchase}`)
  return found
}

export function paymentOf(model: MarketModel, number: number): PaymentModel {
  const found = model.payments[number]
  if (!found) throw new Error(`no payment ${number}`)
  return found
}
