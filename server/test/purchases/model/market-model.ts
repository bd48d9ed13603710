import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type ErrorCode } from '@juicebar/contract/errors'
import { type ReservationDecision, type ReservationFacts } from '../../../src/purchases/reservation/reservation.ts'
import { decideReservation } from '../../../src/purchases/reservation/reservation-decision.ts'

/**
 * The market as its protocol describes it: what the product must do in each state, written independently of how it does it. What may be
 * reserved is not written again: the rules are asked.
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
  /** What its seller last priced, and for how much. */
  whole: { amount: number; price: bigint }
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

/** It has one recipient, so what it is paid with needs no reference. */
export function isSingleTransfer({ items, fee }: PurchaseModel): boolean {
  return sellersOf(items).length === 1 && fee === 0n
}

export function expectedRemoval({ listings }: MarketModel, number: number): Expected {
  const listing = listings[number]
  if (listing?.state !== 'active' && listing?.state !== 'reserved') return 'LISTING_NOT_ACTIVE'
  return listing.heldBy === undefined ? 'done' : 'LISTING_HELD_BY_BUYER'
}

export function expectedPriceChange({ listings }: MarketModel, number: number, price: bigint): Expected {
  const listing = itemAt(listings, number)
  if (listing.state !== 'active' && listing.state !== 'reserved') return 'LISTING_NOT_ACTIVE'
  if (price === listing.price) return 'done'
  // A part for sale by itself merges with the price of its listing.
  const isAwaited = listing.partOf !== undefined && itemAt(listings, listing.partOf).state === 'active'
  return listing.heldBy !== undefined || isAwaited ? 'LISTING_HELD_BY_BUYER' : 'done'
}

/** All that is left costs the new price, and so does what comes back, by the drink. */
export function changePriceOf({ listings }: MarketModel, number: number, price: bigint): void {
  const listing = itemAt(listings, number)
  if (price === listing.price) return
  Object.assign(listing, { price, whole: { amount: listing.amount, price } })
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
  return kind === 'unreferenced' && purchase !== undefined && purchase.state !== 'settled'
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

/** How holding, ending and delivering split and merge listings: whole drinks and whole lamports, of which none may come or go. */

/** What so much of a listing costs: its share of the whole, rounded up. */
function costOf({ whole }: ListingModel, part: number): bigint {
  return (whole.price * BigInt(part) + BigInt(whole.amount) - 1n) / BigInt(whole.amount)
}

export function feeOf({ basisPoints }: MarketModel, items: readonly ItemModel[]): bigint {
  return (totalOf(items) * BigInt(basisPoints)) / 10_000n
}

function totalOf(items: readonly ItemModel[]): bigint {
  return items.reduce((sum, { lamports }) => sum + lamports, 0n)
}

/** In the order in which they are paid. */
export function sellersOf(items: readonly ItemModel[]): number[] {
  return [...new Set(items.map(({ seller }) => seller))]
}

function split(model: MarketModel, number: number, amount: number, part: Pick<ListingModel, 'id' | 'state' | 'heldBy'>): number {
  const listing = itemAt(model.listings, number)
  const price = costOf(listing, amount)
  listing.amount -= amount
  listing.price = costOf(listing, listing.amount)
  const whole = { amount, price }
  return model.listings.push({ ...part, seller: listing.seller, amount, price, whole, divisible: false, partOf: number }) - 1
}

/** What a purchase holds of a listing from now on: all of it, or so many drinks, which become a part of their own. */
export function holdItem(model: MarketModel, number: number, purchase: number, amount: number | undefined): ItemModel {
  const listing = itemAt(model.listings, number)
  const isPart = amount !== undefined && amount < listing.amount
  const held = isPart ? split(model, number, amount, { id: '', state: 'reserved', heldBy: purchase }) : number
  const row = itemAt(model.listings, held)
  row.heldBy = purchase
  return { listing: held, seller: row.seller, amount: row.amount, lamports: row.price }
}

/** Frees what a purchase held. */
export function endHold(model: MarketModel, purchase: number): void {
  for (const [number, listing] of model.listings.entries()) if (listing.heldBy === purchase) free(model, number)
}

/** A listing takes back its parts that are for sale; a part goes back to its listing, or to its seller, or is for sale by itself. */
function free({ listings }: MarketModel, number: number): void {
  const freed = itemAt(listings, number)
  freed.heldBy = undefined
  if (freed.partOf !== undefined) return freePart(freed, itemAt(listings, freed.partOf))
  for (const part of listings) {
    if (part.partOf === number && part.state === 'active' && part.heldBy === undefined) freePart(part, freed)
  }
}

function freePart(part: ListingModel, parent: ListingModel): void {
  if (parent.state === 'removed') part.state = 'removed'
  else if (parent.state !== 'active' || parent.heldBy !== undefined) part.state = 'active'
  else {
    part.state = 'merged'
    parent.amount += part.amount
    parent.price = costOf(parent, parent.amount)
  }
}

/**
 * Delivers the items of a purchase that is paid, one after the other.
 * @param ids the product's names for what is split off
 * @returns false if it cannot; then part of it may be done
 */
export function deliver(model: MarketModel, purchase: number, ids: readonly string[]): boolean {
  for (const [place, item] of itemAt(model.purchases, purchase).items.entries()) {
    const known = itemAt(model.listings, item.listing)
    const number = known.state === 'merged' ? (known.partOf ?? item.listing) : item.listing
    const listing = itemAt(model.listings, number)
    if (listing.heldBy === undefined) {
      if (listing.state !== 'active' || listing.amount < item.amount || costOf(listing, item.amount) > item.lamports) return false
      const isPart = listing.amount > item.amount
      item.listing = isPart ? split(model, number, item.amount, { id: ids[place] ?? '', state: 'sold', heldBy: undefined }) : number
    } else if (listing.heldBy !== purchase) return false
    Object.assign(itemAt(model.listings, item.listing), { state: 'sold', heldBy: undefined })
  }
  return true
}

function canDeliver(model: MarketModel, purchase: number): boolean {
  return deliver(structuredClone(model), purchase, [])
}

/** Whether a late payment looks as if it could never be delivered: too little is left of an item, or it has become dearer for good. */
export function looksHopeless({ listings, purchases }: MarketModel, purchase: number): boolean {
  return itemAt(purchases, purchase).items.some((item) => {
    const known = itemAt(listings, item.listing)
    const number = known.state === 'merged' ? (known.partOf ?? item.listing) : item.listing
    const listing = itemAt(listings, number)
    const away = listings.filter(({ partOf, state }) => partOf === number && (state === 'active' || state === 'reserved'))
    const mayReturn = away.reduce((sum, { amount }) => sum + amount, 0)
    const isOpen = listing.state === 'active' || listing.state === 'reserved'
    return !isOpen || listing.amount + mayReturn < item.amount || (mayReturn === 0 && costOf(listing, item.amount) > item.lamports)
  })
}

export interface Wanted {
  listing: number
  /** Undefined for all that is left. */
  amount: number | undefined
}

/** unclear: the order could mean one open hold of its buyer as well as another. */
export type HoldOutcome = { kind: 'new' } | { kind: 'same'; purchase: number } | { kind: 'refused'; code: ErrorCode } | { kind: 'unclear' }

/** What the rules say of an order in this state of the market. */
export function decideHold(model: MarketModel, buyer: number, wanted: readonly Wanted[]): HoldOutcome {
  const decision = decide(model, buyer, wanted)
  if (decision.kind === 'refused') return { kind: 'refused', code: decision.refusal.code }
  if (decision.kind === 'repeated') {
    // Of two such holds, either may be meant.
    const others = {
      ...model,
      purchases: model.purchases.map((purchase, n) => (String(n) === decision.purchaseId ? gone(purchase) : purchase)),
    }
    return decide(others, buyer, wanted).kind === 'repeated' ? { kind: 'unclear' } : { kind: 'same', purchase: Number(decision.purchaseId) }
  }
  return { kind: 'new' }
}

const gone = (purchase: PurchaseModel): PurchaseModel => ({ ...purchase, state: 'ended' })

function decide(model: MarketModel, buyer: number, wanted: readonly Wanted[]): ReservationDecision {
  const items = wanted.map(({ listing, amount }) => ({ listingId: String(listing), amount }))
  const fee = { basisPoints: model.basisPoints, wallet: walletOf('studio', 0) }
  return decideReservation(factsOf(model, buyer), { kind: 'hold', buyer: walletOf('buyer', buyer), items, paysTransfers: true, fee })
}

function factsOf({ listings, purchases }: MarketModel, buyer: number): ReservationFacts {
  const now = new Date()
  const idOf = (number: number | undefined) => (number === undefined ? null : String(number))
  const itemsOf = ({ items }: PurchaseModel) =>
    items.map((item) => {
      const partOf = idOf(itemAt(listings, item.listing).partOf)
      return { listingId: String(item.listing), partOf, tokenType: 'APPLE_JUICE', amount: item.amount, lamports: item.lamports }
    })
  const holderOf = (number: number) => walletOf('buyer', itemAt(purchases, number).buyer)
  const mine = purchases.flatMap((purchase, number) => (purchase.buyer === buyer ? [{ purchase, number }] : []))
  return {
    now,
    restriction: null,
    rules: new Map(),
    boughtToday: new Map(),
    failed: [],
    hasBought: true,
    networkItems: 0,
    balances: new Map(),
    known: undefined,
    checkout: undefined,
    listings: new Map(
      listings.map(({ seller, amount, price: lamports, whole, divisible, state: status, partOf, heldBy }, number) => [
        String(number),
        {
          id: String(number),
          seller: walletOf('seller', seller),
          tokenType: 'APPLE_JUICE',
          amount,
          lamports,
          wholeAmount: whole.amount,
          wholeLamports: whole.price,
          divisible,
          status,
          partOf: idOf(partOf),
          frozen: false,
          heldBy: heldBy === undefined ? null : holderOf(heldBy),
        },
      ]),
    ),
    open: mine.flatMap(({ purchase, number }) =>
      purchase.state !== 'held'
        ? []
        : [
            {
              id: String(number),
              items: itemsOf(purchase),
              sellers: sellersOf(purchase.items).map((seller) => walletOf('seller', seller)),
              lamports: totalOf(purchase.items),
              fee: { lamports: purchase.fee, basisPoints: 0 },
              coSigned: false,
              checkout: null,
              closed: purchase.windowClosed,
              signature: purchase.recorded === undefined ? null : (String(purchase.recorded) as Signature),
              confirmed: false,
            },
          ],
    ),
    abandoned: mine.flatMap(({ purchase }) =>
      purchase.abandoned
        ? [{ at: now, listingIds: itemsOf(purchase).flatMap(({ listingId, partOf }) => [listingId, ...(partOf === null ? [] : [partOf])]) }]
        : [],
    ),
  }
}

function walletOf(role: 'buyer' | 'seller' | 'studio', number: number): WalletAddress {
  return `${role} ${number}` as WalletAddress
}

export function itemAt<T>(items: readonly T[], number: number): T {
  const item = items[number]
  if (item === undefined) throw new Error(`no item ${number}`)
  return item
}
