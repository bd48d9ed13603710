import { type ErrorCode } from '@juicebar/contract/errors'

/**
 * The market as its protocol describes it: what the product must do in each state, written without looking at how it does it.
 * Lots, purchases and payments are known by the order in which they came.
 */
export interface MarketModel {
  lots: LotModel[]
  purchases: PurchaseModel[]
  payments: PaymentModel[]
}

export interface LotModel {
  price: bigint
  amount: number
  state: 'active' | 'sold' | 'removed'
}

export interface PurchaseModel {
  lot: number
  buyer: number
  sends: 'server' | 'wallet'
  state: 'held' | 'settled' | 'ended'
  /** The time to pay is over, or the buyer wants to let go. */
  over: boolean
  cancelRequested: boolean
  /** Handed in to the server and not known to be lost. */
  recorded: number | undefined
  /** The payment that settled it. */
  paidBy: number | undefined
  /** It ended without a payment handed in: its buyer has to wait before holding that lot again. */
  bars: boolean
}

/** exact: as agreed. plain: as agreed, but naming no purchase. off: one lamport more. offPlain: that, and naming no purchase. */
export const paymentKinds = ['exact', 'plain', 'off', 'offPlain'] as const
export type PaymentKind = (typeof paymentKinds)[number]

/** A payment that the chain accepted. */
export interface PaymentModel {
  purchase: number
  kind: PaymentKind
  lamports: bigint
  rolledBack: boolean
  /** The seller has prepared its refund, or paid it back: no tokens move for it any more. */
  refunding: boolean
}

export type Expected = 'done' | ErrorCode

export function holderOf({ purchases }: MarketModel, lot: number): number | undefined {
  const holder = purchases.findIndex((purchase) => purchase.lot === lot && purchase.state === 'held')
  return holder === -1 ? undefined : holder
}

/** Its time is over, only the server could have sent a payment, and it was given none: nothing needs to be asked of the chain. */
export function endsUnsent({ state, sends, over, recorded }: PurchaseModel): boolean {
  return state === 'held' && sends === 'server' && over && recorded === undefined
}

/** What a buyer who asks for a lot gets: a new hold, the same one again, or a refusal. */
export function expectHold(model: MarketModel, buyer: number, lotNumber: number): 'new' | 'same' | ErrorCode {
  const lot = model.lots[lotNumber]
  const holder = holderOf(model, lotNumber)
  const hold = holder === undefined ? undefined : model.purchases[holder]
  if (hold?.buyer === buyer && !endsUnsent(hold)) {
    if (hold.recorded !== undefined) return 'PAYMENT_UNDER_WAY'
    return hold.over ? 'HOLD_ENDED' : 'same'
  }
  if (lot?.state !== 'active') return 'LISTING_NOT_ACTIVE'
  if (hold && !endsUnsent(hold)) return 'LISTING_HELD'
  const own = model.purchases.filter((purchase) => purchase.buyer === buyer && purchase !== hold)
  if (hold?.buyer === buyer || own.some((purchase) => purchase.lot === lotNumber && purchase.state === 'ended' && purchase.bars))
    return 'COOLDOWN'
  const open = own.filter((purchase) => purchase.state === 'held')
  if (open.length >= 3) return 'TOO_MANY_HOLDS'
  return open.some((purchase) => model.lots[purchase.lot]?.price === lot.price) ? 'AMBIGUOUS_HOLD' : 'new'
}

export function expectRemoval(model: MarketModel, lot: number): Expected {
  if (model.lots[lot]?.state !== 'active') return 'LISTING_NOT_ACTIVE'
  return holderOf(model, lot) === undefined ? 'done' : 'LISTING_HELD_BY_BUYER'
}

export function expectLetGo({ state, recorded }: PurchaseModel): Expected {
  return state === 'held' && recorded !== undefined ? 'PAYMENT_UNDER_WAY' : 'done'
}

/** What becomes of signed bytes that are handed to the server for the first time. */
export function expectHandIn({ state, over, recorded }: PurchaseModel, kind: PaymentKind): Expected {
  if (kind !== 'exact') return 'PAYMENT_REFUSED'
  if (state !== 'held') return 'HOLD_ENDED'
  if (recorded !== undefined) return 'PAYMENT_DIFFERS'
  return over ? 'HOLD_ENDED' : 'done'
}

/** What a buyer hears who names a payment that the chain accepted. */
export function expectConfirmation(model: MarketModel, number: number): 'settled' | 'pending' | ErrorCode {
  const payment = paymentOf(model, number)
  const purchase = purchaseOf(model, payment)
  if (purchase.paidBy === number) return 'settled'
  if (payment.rolledBack) return 'pending'
  return mayDeliver(model, payment) ? 'settled' : 'PAYMENT_CASE'
}

/** Whether this payment, once it is found, moves tokens. */
export function mayDeliver(model: MarketModel, payment: PaymentModel): boolean {
  const purchase = purchaseOf(model, payment)
  if (payment.rolledBack || payment.refunding) return false
  if (purchase.state === 'held') return payment.kind === 'exact' || payment.kind === 'plain'
  const free = model.lots[purchase.lot]?.state === 'active' && holderOf(model, purchase.lot) === undefined
  return purchase.state === 'ended' && payment.kind === 'exact' && free
}

/** Whether the server finds this payment without being told: by what was handed in, by reference, or among its buyer's transfers. */
export function isFoundByItself(model: MarketModel, { purchase: number, kind }: PaymentModel): boolean {
  if (kind === 'exact' || kind === 'off') return true
  const purchase = model.purchases[number]
  return kind === 'plain' && purchase?.sends === 'wallet' && purchase.state !== 'settled'
}

/** Why a hold ends that was not paid. */
export function endReasonOf({ recorded, cancelRequested }: PurchaseModel): 'expired' | 'cancelled' | 'lapsed' {
  if (recorded !== undefined) return 'expired'
  return cancelRequested ? 'cancelled' : 'lapsed'
}

export function purchaseOf(model: MarketModel, { purchase }: PaymentModel): PurchaseModel {
  const found = model.purchases[purchase]
  if (!found) throw new Error(`there is no purchase ${purchase}`)
  return found
}

export function paymentOf(model: MarketModel, number: number): PaymentModel {
  const found = model.payments[number]
  if (!found) throw new Error(`there is no payment ${number}`)
  return found
}
