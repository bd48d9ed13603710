import { type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { MAX_OPEN_HOLDS, MAX_OPEN_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { partPrice } from '@juicebar/contract/money'

import { type Restriction } from '../../restrictions/restriction.ts'
import { brokenDailyRule, brokenPriceRule, type TokenRule } from '../../restrictions/rule.ts'
import { feeOf } from '../fee.ts'
import { type Abandonment, abandonsTooOften, cooldownUntil } from './cooldown.ts'
import { type BuyOrder, type OrderedItem } from './order.ts'
import { type ListingRefusalCode, type Refusal } from './refusal.ts'

/** A listing as the database has it. */
export interface ListingFacts {
  id: string
  seller: WalletAddress
  tokenType: TokenType
  /** What is left of it. */
  amount: number
  /** The price of all that is left. */
  lamports: bigint
  divisible: boolean
  status: 'active' | 'reserved' | 'sold' | 'removed' | 'merged'
  /** The listing that this part was split from. */
  partOf: string | null
  /** Its seller's listings are neither sold nor returned, see `is_frozen`. */
  frozen: boolean
  /** Who is buying it. `endsUnsent`: the hold can end at once, because nobody can have paid for it. */
  heldBy: { buyer: WalletAddress; endsUnsent: boolean } | null
}

/** A purchase that the buyer has under way. */
export interface OpenPurchase {
  id: string
  items: readonly { listingId: string; partOf: string | null; tokenType: TokenType; amount: number; lamports: bigint }[]
  sellers: readonly WalletAddress[]
  /** Without the fee. */
  lamports: bigint
  fee: { lamports: bigint; basisPoints: number }
  /** The hold can end at once, because nobody can have paid for it. */
  endsUnsent: boolean
  /** Cancelled, or the payment window has closed. */
  closed: boolean
  paymentRecorded: boolean
}

/** All that decides whether an order may be reserved, read by one statement. */
export interface ReservationFacts {
  now: Date
  /** The market's pause, or the buyer's block. */
  restriction: { code: 'PAUSED' | 'BLOCKED'; restriction: Restriction } | null
  /** Those of the ordered listings that exist. */
  listings: ReadonlyMap<string, ListingFacts>
  /** The studio's rules, of the ordered items. */
  rules: ReadonlyMap<TokenType, TokenRule>
  /** What was delivered to the buyer today, by UTC, of items with a rule about it. */
  boughtToday: ReadonlyMap<TokenType, bigint>
  open: readonly OpenPurchase[]
  /** What the buyer has lately left unpaid. */
  abandoned: readonly Abandonment[]
}

export interface PlannedItem {
  listingId: string
  seller: WalletAddress
  tokenType: TokenType
  amount: number
  lamports: bigint
  /** It is split off the listing. */
  isPart: boolean
}

/** What is reserved, and what is to be paid for it. */
export interface ReservationPlan {
  items: readonly PlannedItem[]
  /** Without the fee. */
  lamports: bigint
  feeLamports: bigint
  /** What each seller receives, in the order of the items. */
  received: ReadonlyMap<WalletAddress, bigint>
}

export type ReservationDecision =
  | { kind: 'refused'; refusal: Refusal }
  /** The buyer has reserved the same already. */
  | { kind: 'repeated'; purchaseId: string }
  | { kind: 'reserve'; plan: ReservationPlan }

/**
 * The rules of buying, for payments, holds and payment links alike: whether an order may be reserved now. First whether the market is open
 * to the buyer, then the rules of each item, in their order, then those of the wallet, then those of the payment.
 */
export function decideReservation(facts: ReservationFacts, order: BuyOrder): ReservationDecision {
  const same = facts.open.find((purchase) => !purchase.endsUnsent && isSameOrder(purchase, order.items))
  if (same) return decideRepetition(same, order)
  const others = facts.open.filter((purchase) => !sharesListing(purchase, order.items))
  const planned = planItems(facts, order)
  if ('code' in planned) return { kind: 'refused', refusal: planned }
  const plan = totalOf(planned, order)
  const refusal =
    refusedBySellers(plan) ??
    refusedByDailyRules(facts, others, plan) ??
    refusedByWallet(facts, others, order) ??
    refusedByTwin(others, plan) ??
    refusedByTerms(order, plan.received.size, plan.lamports + plan.feeLamports, order.fee.basisPoints) ??
    refusedByChain(facts, order, plan)
  return refusal ? { kind: 'refused', refusal } : { kind: 'reserve', plan }
}

/** The same order again means the same purchase, unless paying for that would be a mistake or is not what this client would do. */
function decideRepetition(purchase: OpenPurchase, order: BuyOrder): ReservationDecision {
  const { id: purchaseId, lamports, fee, sellers } = purchase
  if (purchase.paymentRecorded) return { kind: 'refused', refusal: { code: 'PAYMENT_UNDER_WAY' } }
  if (purchase.closed) return { kind: 'refused', refusal: { code: 'HOLD_ENDED' } }
  const refusal = refusedByTerms(order, sellers.length, lamports + fee.lamports, fee.basisPoints)
  return refusal ? { kind: 'refused', refusal } : { kind: 'repeated', purchaseId }
}

function isSameOrder({ items }: OpenPurchase, ordered: readonly OrderedItem[]): boolean {
  const asksFor = ({ listingId, amount }: OrderedItem, item: OpenPurchase['items'][number]) =>
    (item.listingId === listingId && item.amount === (amount ?? item.amount)) || (item.partOf === listingId && item.amount === amount)
  return (
    items.length === ordered.length &&
    ordered.every((asked) => items.some((item) => asksFor(asked, item))) &&
    items.every((item) => ordered.some((asked) => asksFor(asked, item)))
  )
}

function sharesListing({ items }: OpenPurchase, ordered: readonly OrderedItem[]): boolean {
  return items.some(({ listingId }) => ordered.some((asked) => asked.listingId === listingId))
}

/** The items with their prices, or why one of them cannot be bought. */
function planItems({ restriction, listings, rules }: ReservationFacts, { buyer, items }: BuyOrder): PlannedItem[] | Refusal {
  if (restriction) return restriction
  const planned: PlannedItem[] = []
  for (const { listingId, amount: asked } of items) {
    const listing = listings.get(listingId)
    const code = whyNotForSale(listing, asked, buyer)
    if (code !== undefined || !listing) return { code: code ?? 'LISTING_NOT_FOUND', listingId }
    const { seller, tokenType } = listing
    const amount = asked ?? listing.amount
    const lamports = partPrice(listing, amount)
    const broken = brokenPriceRule(rules.get(tokenType), { tokenType, amount, lamports })
    if (broken) return { code: 'RULE_BROKEN', listingId, restriction: broken }
    planned.push({ listingId, seller, tokenType, amount, lamports, isPart: amount < listing.amount })
  }
  return planned
}

/**
 * Why nobody, or not this wallet, may buy so much of a listing now; undefined if it may.
 * @param asked undefined for all that is left
 * @param buyer undefined if not known yet
 */
export function whyNotForSale(
  listing: ListingFacts | undefined,
  asked: number | undefined,
  buyer: WalletAddress | undefined,
): ListingRefusalCode | undefined {
  if (!listing) return 'LISTING_NOT_FOUND'
  const { seller, status, heldBy, amount, divisible, frozen } = listing
  if (seller === buyer) return 'OWN_LISTING'
  if (status === 'reserved') return 'LISTING_HELD'
  if (status !== 'active') return 'LISTING_NOT_ACTIVE'
  if (heldBy && !heldBy.endsUnsent) return heldBy.buyer === buyer ? 'HELD_BY_YOU' : 'LISTING_HELD'
  if (asked !== undefined && asked > amount) return 'AMOUNT_NOT_LEFT'
  if (asked !== undefined && asked < amount && !divisible) return 'NOT_DIVISIBLE'
  return frozen ? 'LISTING_FROZEN' : undefined
}

function totalOf(items: readonly PlannedItem[], { buyer, fee }: BuyOrder): ReservationPlan {
  const received = new Map<WalletAddress, bigint>()
  for (const { seller, lamports } of items) received.set(seller, (received.get(seller) ?? 0n) + lamports)
  return { items, lamports: sumOf(items), feeLamports: feeOf(items, fee, buyer), received }
}

function sumOf(priced: readonly { lamports: bigint }[]): bigint {
  return priced.reduce((sum, { lamports }) => sum + lamports, 0n)
}

function refusedBySellers({ received }: ReservationPlan): Refusal | undefined {
  return received.size > MAX_SELLERS ? { code: 'TOO_MANY_SELLERS' } : undefined
}

function refusedByDailyRules(
  { rules, boughtToday }: ReservationFacts,
  others: readonly OpenPurchase[],
  { items }: ReservationPlan,
): Refusal | undefined {
  const underWay = others.filter(({ endsUnsent }) => !endsUnsent).flatMap((purchase) => purchase.items)
  for (const tokenType of [...new Set(items.map((item) => item.tokenType))].toSorted()) {
    const ofType = (item: { tokenType: TokenType }) => item.tokenType === tokenType
    const bought = (boughtToday.get(tokenType) ?? 0n) + sumOf(underWay.filter(ofType))
    const restriction = brokenDailyRule(rules.get(tokenType), { tokenType, bought, lamports: sumOf(items.filter(ofType)) })
    if (restriction) return { code: 'RULE_BROKEN', restriction }
  }
  return undefined
}

/** How much a wallet may have under way, and what it may not try again yet. */
function refusedByWallet(
  { listings, abandoned, now }: ReservationFacts,
  others: readonly OpenPurchase[],
  { items }: BuyOrder,
): Refusal | undefined {
  for (const { listingId } of items) {
    const until = cooldownUntil(abandoned, listings.get(listingId)?.partOf ?? listingId)
    if (until && until > now) {
      return { code: 'COOLDOWN', listingId, retrySeconds: Math.ceil((until.getTime() - now.getTime()) / 1_000) }
    }
  }
  const allowed = abandonsTooOften(abandoned, now) ? 1 : MAX_OPEN_ITEMS
  const openItems = others.reduce((count, purchase) => count + purchase.items.length, items.length)
  if (openItems > allowed) return { code: 'TOO_MANY_HOLDS', allowed }
  return others.length >= MAX_OPEN_HOLDS ? { code: 'TOO_MANY_HOLDS' } : undefined
}

/** A payment without a reference could be for either of two purchases with the same seller and price. */
function refusedByTwin(others: readonly OpenPurchase[], { received, lamports, feeLamports }: ReservationPlan): Refusal | undefined {
  const [seller] = received.keys()
  if (received.size > 1 || feeLamports > 0n) return undefined
  const isTwin = (open: OpenPurchase) =>
    open.sellers.length === 1 && open.sellers[0] === seller && open.lamports === lamports && open.fee.lamports === 0n
  return others.some(isTwin) ? { code: 'AMBIGUOUS_HOLD' } : undefined
}

/** Whether the client pays what the purchase asks for, and not more than it said. */
function refusedByTerms(order: BuyOrder, sellers: number, lamports: bigint, basisPoints: number): Refusal | undefined {
  if ((sellers > 1 || basisPoints > 0) && !order.paysTransfers) return { code: 'TRANSFERS_NEEDED' }
  return order.mostLamports !== undefined && lamports > order.mostLamports ? { code: 'PRICE_MOVED' } : undefined
}

/** Whether the chain would carry the payment out, as far as its answers tell. */
function refusedByChain({ listings, open }: ReservationFacts, { funds }: BuyOrder, plan: ReservationPlan): Refusal | undefined {
  if (!funds) return undefined
  for (const [seller, lamports] of plan.received) {
    const missing = funds.rentExemptMinimum - lamports - (funds.balances.get(seller) ?? 0n)
    if (lamports < funds.rentExemptMinimum && missing > 0n) return tooSmall(plan, seller, missing, listings)
  }
  const underWay = open.reduce((sum, { lamports, fee }) => sum + lamports + fee.lamports + funds.networkFee, 0n)
  const needed = underWay + plan.lamports + plan.feeLamports + funds.networkFee
  return needed > funds.spendable ? { code: 'INSUFFICIENT_SOL' } : undefined
}

/** A seller would receive so little that the chain would refuse the payment: how much of a listing it takes, if it has that much. */
function tooSmall({ items }: ReservationPlan, seller: string, missing: bigint, listings: ReservationFacts['listings']): Refusal {
  const ofSeller = items.filter((item) => item.seller === seller)
  const item = ofSeller.find(({ isPart }) => isPart) ?? ofSeller[0]
  const listing = item && listings.get(item.listingId)
  if (!item || !listing) throw new Error('who receives something sells something')
  const needed = Number(((item.lamports + missing - 1n) * BigInt(listing.amount)) / listing.lamports + 1n)
  return { code: 'PART_TOO_SMALL', listingId: item.listingId, neededAmount: needed <= listing.amount ? needed : undefined }
}
