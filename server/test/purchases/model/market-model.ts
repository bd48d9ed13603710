import { type ErrorCode } from '@juicebar/contract/errors'

/**
 * The market as its protocol describes it: what the product must do in each state, written independently of how it does it.
 * Listings, purchases and payments are numbered in the order in which they came.
 */
export interface MarketModel {
  listings: ListingModel[]
  purchases: PurchaseModel[]
  payments: PaymentModel[]
}

export interface ListingModel {
  price: bigint
  amount: number
  state: 'active' | 'sold' | 'removed'
}

export interface PurchaseModel {
  listing: number
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

/** exact: as agreed. unreferenced: as agreed, but without a reference. wrong: one lamport more. wrongUnreferenced: both. */
export const paymentKinds = ['exact', 'unreferenced', 'wrong', 'wrongUnreferenced'] as const
export type PaymentKind = (typeof paymentKinds)[number]

/** A payment that the chain accepted. */
export interface PaymentModel {
  purchase: number
  kind: PaymentKind
  lamports: bigint
  rolledBack: boolean
  /** Its refund is under way or paid: it can no longer be delivered. */
  refunding: boolean
}

export type Expected = 'done' | ErrorCode

export function holderOf({ purchases }: MarketModel, listing: number): number | undefined {
  const holder = purchases.findIndex((purchase) => purchase.listing === listing && purchase.state === 'held')
  return holder === -1 ? undefined : holder
}

/** Its window is closed, and only the server could have sent a payment, but received none: it ends without asking the chain. */
export function endsUnsent({ state, sendsThrough, windowClosed, recorded }: PurchaseModel): boolean {
  return state === 'held' && sendsThrough === 'server' && windowClosed && recorded === undefined
}

/** What a buyer gets for a listing: a new hold, the same one again, or a refusal. */
export function expectedHold(model: MarketModel, buyer: number, listing: number): 'new' | 'same' | ErrorCode {
  const wanted = model.listings[listing]
  const holder = holderOf(model, listing)
  const hold = holder === undefined ? undefined : model.purchases[holder]
  if (hold?.buyer === buyer && !endsUnsent(hold)) {
    if (hold.recorded !== undefined) return 'PAYMENT_UNDER_WAY'
    return hold.windowClosed ? 'HOLD_ENDED' : 'same'
  }
  if (wanted?.state !== 'active') return 'LISTING_NOT_ACTIVE'
  if (hold && !endsUnsent(hold)) return 'LISTING_HELD'
  const own = model.purchases.filter((purchase) => purchase.buyer === buyer)
  const abandoned = own.filter((purchase) => purchase.abandoned || endsUnsent(purchase))
  if (abandoned.filter((purchase) => purchase.listing === listing).length >= 2) return 'COOLDOWN'
  const open = own.filter((purchase) => purchase.state === 'held' && purchase !== hold)
  if (open.length >= (abandoned.length >= 3 ? 1 : 3)) return 'TOO_MANY_HOLDS'
  return open.some((purchase) => model.listings[purchase.listing]?.price === wanted.price) ? 'AMBIGUOUS_HOLD' : 'new'
}

export function expectedRemoval(model: MarketModel, listing: number): Expected {
  if (model.listings[listing]?.state !== 'active') return 'LISTING_NOT_ACTIVE'
  return holderOf(model, listing) === undefined ? 'done' : 'LISTING_HELD_BY_BUYER'
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
  const free = model.listings[purchase.listing]?.state === 'active' && holderOf(model, purchase.listing) === undefined
  return purchase.state === 'ended' && payment.kind === 'exact' && free
}

/** Whether reconciliation finds this payment: by its recorded bytes, by its reference, or among its buyer's transactions. */
export function isFoundByItself(model: MarketModel, { purchase: number, kind }: PaymentModel): boolean {
  if (kind === 'exact' || kind === 'wrong') return true
  const purchase = model.purchases[number]
  return kind === 'unreferenced' && purchase?.sendsThrough === 'wallet' && purchase.state !== 'settled'
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
