import { type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { MAX_BALANCE, MAX_OPEN_HOLDS, MAX_OPEN_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { partPrice } from '@juicebar/contract/money'
import { brokenDailyRule, brokenPriceRule } from '../../restrictions/restriction.ts'
import { feeOf } from '../purchase/purchase.ts'
import {
  abandonsTooOften,
  cooldownUntil,
  failureCooldownUntil,
  type KnownPayment,
  type ListingFacts,
  type OpenPurchase,
  type PlannedItem,
  type ReservationDecision,
  type ReservationFacts,
  type ReservationPlan,
} from './reservation.ts'
import { type BuyOrder, type OrderedItem, type ListingRefusalCode, type Refusal } from './order.ts'

/**
 * The rules of buying, for payments, holds and payment links alike: whether an order may be reserved now. First whether the market is open
 * to the buyer and the checkout can be paid, then the rules of each item, in their order, then those of the wallet, then those of the payment.
 */
export function decideReservation(facts: ReservationFacts, order: BuyOrder): ReservationDecision {
  const repeated = order.kind === 'payment' ? decideKnown(facts.known) : decideRepetition(facts.open, order)
  if (repeated) return repeated
  const others = facts.open.filter((purchase) => !sharesListing(purchase, order.items))
  const closed = facts.restriction ?? refusedByCheckout(facts, order)
  if (closed) return { kind: 'refused', refusal: closed }
  const planned = planItems(facts, order)
  if ('code' in planned) return { kind: 'refused', refusal: planned }
  const plan = totalOf(planned, order)
  const refusal =
    differsFromCheckout(facts, plan) ??
    refusedBySellers(plan) ??
    refusedByDailyRules(facts, others, plan) ??
    refusedByWallet(facts, others, order) ??
    refusedByTwin(others, order, plan) ??
    refusedByTerms(order, plan.received.size, plan.lamports + plan.feeLamports, order.fee.basisPoints) ??
    refusedByBalance(facts, plan) ??
    refusedByChain(facts, order, plan)
  return refusal ? { kind: 'refused', refusal } : { kind: 'reserve', plan }
}

/** A payment is its message: the same one again has the same answer, whatever the buyer's signature. */
function decideKnown(known: KnownPayment | undefined): ReservationDecision | undefined {
  if (known?.reserved) return { kind: 'repeated', ...known.reserved }
  if (known?.refused) return { kind: 'refused', refusal: known.refused }
  return known?.referenceUsed ? { kind: 'refused', refusal: { code: 'REFERENCE_USED' } } : undefined
}

/** The same order of a hold again means the same purchase, unless paying for that would be a mistake or is not what this client would do. */
function decideRepetition(open: readonly OpenPurchase[], order: BuyOrder): ReservationDecision | undefined {
  const { items, checkout } = order
  const same = open.find((purchase) => isSameOrder(purchase, items) && (checkout === undefined || checkout === purchase.checkout))
  if (!same) return undefined
  const { id: purchaseId, lamports, fee, sellers } = same
  if (same.signature !== null) return { kind: 'refused', refusal: { code: 'PAYMENT_UNDER_WAY' } }
  if (same.closed) return { kind: 'refused', refusal: { code: 'HOLD_ENDED' } }
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

/** A checkout is paid once, in time, by the wallet that it is for. */
function refusedByCheckout({ checkout }: ReservationFacts, { checkout: named, buyer }: BuyOrder): Refusal | undefined {
  if (named === undefined) return undefined
  if (!checkout) return { code: 'CHECKOUT_NOT_FOUND' }
  if (checkout.status === 'completed') return { code: 'CHECKOUT_PAID' }
  if (checkout.status === 'paying') return { code: 'CHECKOUT_PAYING' }
  if (checkout.status === 'expired') return { code: 'CHECKOUT_EXPIRED' }
  return checkout.wallet === null || checkout.wallet === buyer ? undefined : { code: 'CHECKOUT_OTHER_WALLET' }
}

/** Exactly the checkout's item and amount, for at most what it may cost. */
function differsFromCheckout({ checkout }: ReservationFacts, { items, lamports, feeLamports }: ReservationPlan): Refusal | undefined {
  if (!checkout) return undefined
  const { tokenType, amount, maxLamports } = checkout
  const ordered = items.reduce((sum, item) => sum + item.amount, 0)
  if (items.some((item) => item.tokenType !== tokenType)) return { code: 'CHECKOUT_DIFFERS', detail: 'it is for another item.' }
  if (ordered !== amount) return { code: 'CHECKOUT_DIFFERS', detail: `it is for ${amount}, not for ${ordered}.` }
  if (maxLamports === null || lamports + feeLamports <= maxLamports) return undefined
  return { code: 'CHECKOUT_DIFFERS', detail: 'this costs more now than the game allows.' }
}

/** The items with their prices, or why one of them cannot be bought. */
function planItems({ listings, rules }: ReservationFacts, { buyer, items }: BuyOrder): PlannedItem[] | Refusal {
  const planned: PlannedItem[] = []
  for (const { listingId, amount: asked } of items) {
    const listing = listings.get(listingId)
    const code = whyNotForSale(listing, asked, buyer)
    if (code !== undefined || !listing) return { code: code ?? 'LISTING_NOT_FOUND', listingId }
    const { seller, tokenType } = listing
    const amount = asked ?? listing.amount
    const lamports = costOf(listing, amount)
    const broken = brokenPriceRule(rules.get(tokenType), { tokenType, amount, lamports })
    if (broken) return { code: 'RULE_BROKEN', listingId, restriction: broken }
    planned.push({ listingId, seller, tokenType, amount, lamports, isPart: amount < listing.amount })
  }
  return planned
}

/** A part costs its share of what its seller asked for the whole, so that no sale of another part changes an offer. */
function costOf({ amount: left, lamports, wholeAmount, wholeLamports }: ListingFacts, amount: number): bigint {
  return amount < left ? partPrice({ amount: wholeAmount, lamports: wholeLamports }, amount) : lamports
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
  if (heldBy) return heldBy === buyer ? 'HELD_BY_YOU' : 'LISTING_HELD'
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
  const underWay = others.flatMap((purchase) => purchase.items)
  for (const tokenType of [...new Set(items.map((item) => item.tokenType))].toSorted()) {
    const ofType = (item: { tokenType: TokenType }) => item.tokenType === tokenType
    const bought = (boughtToday.get(tokenType) ?? 0n) + sumOf(underWay.filter(ofType))
    const restriction = brokenDailyRule(rules.get(tokenType), { tokenType, bought, lamports: sumOf(items.filter(ofType)) })
    if (restriction) return { code: 'RULE_BROKEN', restriction }
  }
  return undefined
}

/** How much a wallet may have under way, and what it may not try again yet. */
function refusedByWallet(facts: ReservationFacts, others: readonly OpenPurchase[], order: BuyOrder): Refusal | undefined {
  const cooldown = order.kind === 'payment' ? coolingAfterFailures(facts) : coolingAfterHolds(facts, order)
  if (cooldown) return cooldown
  const { hasBought, abandoned, networkItems, now } = facts
  if (order.kind === 'payment' && !hasBought && others.some(({ coSigned }) => coSigned)) return { code: 'TOO_MANY_HOLDS', isFirst: true }
  const allowed = order.kind === 'hold' && abandonsTooOften(abandoned, now) ? 1 : MAX_OPEN_ITEMS
  const fromNetwork = networkItems + order.items.length
  if (order.network && !hasBought && fromNetwork > order.network.mostItems) return { code: 'TOO_MANY_HOLDS', ofNetwork: true }
  const openItems = others.reduce((count, purchase) => count + purchase.items.length, order.items.length)
  if (openItems > allowed) return { code: 'TOO_MANY_HOLDS', allowed }
  return others.length >= MAX_OPEN_HOLDS ? { code: 'TOO_MANY_HOLDS' } : undefined
}

function coolingAfterHolds({ listings, abandoned, now }: ReservationFacts, { items }: BuyOrder): Refusal | undefined {
  for (const { listingId } of items) {
    const until = cooldownUntil(abandoned, listings.get(listingId)?.partOf ?? listingId)
    if (until && until > now) return { code: 'COOLDOWN', listingId, retrySeconds: secondsUntil(until, now) }
  }
  return undefined
}

function coolingAfterFailures({ failed, now }: ReservationFacts): Refusal | undefined {
  const until = failureCooldownUntil(failed)
  return until && until > now ? { code: 'COOLDOWN', retrySeconds: secondsUntil(until, now) } : undefined
}

function secondsUntil(until: Date, now: Date): number {
  return Math.ceil((until.getTime() - now.getTime()) / 1_000)
}

/** A payment without a reference could be for either of two holds with the same seller and price. */
function refusedByTwin(
  others: readonly OpenPurchase[],
  { kind }: BuyOrder,
  { received, lamports, feeLamports }: ReservationPlan,
): Refusal | undefined {
  const [seller] = received.keys()
  if (kind === 'payment' || received.size > 1 || feeLamports > 0n) return undefined
  const isTwin = (open: OpenPurchase) =>
    !open.coSigned && open.sellers.length === 1 && open.sellers[0] === seller && open.lamports === lamports && open.fee.lamports === 0n
  return others.some(isTwin) ? { code: 'AMBIGUOUS_HOLD' } : undefined
}

/** Whether the client pays what the purchase asks for, and not more than it said. */
function refusedByTerms(order: BuyOrder, sellers: number, lamports: bigint, basisPoints: number): Refusal | undefined {
  if ((sellers > 1 || basisPoints > 0) && !order.paysTransfers) return { code: 'TRANSFERS_NEEDED' }
  return order.mostLamports !== undefined && lamports > order.mostLamports ? { code: 'PRICE_MOVED' } : undefined
}

/** What is delivered must find room in the buyer's balances, beside what is under way. */
function refusedByBalance({ balances, open }: ReservationFacts, { items }: ReservationPlan): Refusal | undefined {
  const amountOf = (held: readonly { tokenType: TokenType; amount: number }[], tokenType: TokenType) =>
    held.reduce((sum, item) => (item.tokenType === tokenType ? sum + item.amount : sum), 0)
  const underWay = open.flatMap((purchase) => purchase.items)
  const full = items.find(({ tokenType }) => {
    return (balances.get(tokenType) ?? 0) + amountOf(underWay, tokenType) + amountOf(items, tokenType) > MAX_BALANCE
  })
  return full && { code: 'BALANCE_LIMIT', listingId: full.listingId }
}

/** Whether the chain would carry the payment out, as far as its answers tell. */
function refusedByChain({ listings, open }: ReservationFacts, { kind, funds }: BuyOrder, plan: ReservationPlan): Refusal | undefined {
  if (!funds) return undefined
  for (const [seller, lamports] of funds.balances ? plan.received : []) {
    const missing = funds.rentExemptMinimum - lamports - (funds.balances?.get(seller) ?? 0n)
    if (lamports < funds.rentExemptMinimum && missing > 0n) return tooSmall(plan, seller, missing, listings)
  }
  const costOf = (lamports: bigint, { lamports: fee }: { lamports: bigint }) => lamports + fee + funds.networkFee
  const unpaid = open.filter(({ id, confirmed }) => kind === 'hold' || !(confirmed || funds.paid?.has(id)))
  const underWay = unpaid.reduce((sum, { lamports, fee }) => sum + costOf(lamports, fee), 0n)
  const own = kind === 'hold' ? costOf(plan.lamports, { lamports: plan.feeLamports }) : 0n
  return underWay + own > funds.spendable ? { code: 'INSUFFICIENT_SOL' } : undefined
}

/** A seller would receive so little that the chain would refuse the payment: how much of a listing it takes, if it has that much. */
function tooSmall({ items }: ReservationPlan, seller: string, missing: bigint, listings: ReservationFacts['listings']): Refusal {
  const ofSeller = items.filter((item) => item.seller === seller)
  const item = ofSeller.find(({ isPart }) => isPart) ?? ofSeller[0]
  const listing = item && listings.get(item.listingId)
  if (!item || !listing) throw new Error('who receives something sells something')
  const needed = Number(((item.lamports + missing - 1n) * BigInt(listing.wholeAmount)) / listing.wholeLamports + 1n)
  return { code: 'PART_TOO_SMALL', listingId: item.listingId, neededAmount: needed <= listing.amount ? needed : undefined }
}
