import { type ErrorCode } from '@juicebar/contract/errors'

import { endHold, costOf, feeOf, sellersOf, totalOf } from './market-listings.ts'
import { endsUnsent, type ItemModel, type MarketModel, type PurchaseModel } from './market-model.ts'
import { itemAt } from './real-market.ts'

export interface Wanted {
  listing: number
  /** Undefined for all that is left. */
  amount: number | undefined
}

/** unclear: the order could mean one open hold of its buyer as well as another. */
export type HoldOutcome = { kind: 'new' } | { kind: 'same'; purchase: number } | { kind: 'refused'; code: ErrorCode } | { kind: 'unclear' }

const MOST_HOLDS = 3
const MOST_ITEMS = 20

/** What a buyer gets for an order: a new hold, the same one again, or a refusal. Ends the holds that a new one ends first. */
export function decideHold(model: MarketModel, buyer: number, wanted: readonly Wanted[]): HoldOutcome {
  const open = openOf(model, buyer).filter((purchase) => !endsUnsent(purchase))
  const [same, other] = open.filter((purchase) => isSameOrder(model, purchase, wanted))
  if (same && other) return { kind: 'unclear' }
  if (same?.recorded !== undefined) return { kind: 'refused', code: 'PAYMENT_UNDER_WAY' }
  if (same) return same.windowClosed ? { kind: 'refused', code: 'HOLD_ENDED' } : { kind: 'same', purchase: model.purchases.indexOf(same) }
  const refusal = refusalOf(model, buyer, wanted)
  if (refusal) return { kind: 'refused', code: refusal }
  for (const [number, purchase] of model.purchases.entries()) {
    if (endsUnsent(purchase) && wanted.some(({ listing }) => itemAt(model.listings, listing).heldBy === number)) endUnsent(model, number)
  }
  const afterwards = refusalOf(model, buyer, wanted)
  return afterwards ? { kind: 'refused', code: afterwards } : { kind: 'new' }
}

export function endUnsent(model: MarketModel, number: number): void {
  Object.assign(itemAt(model.purchases, number), { state: 'ended', abandoned: true })
  endHold(model, number)
}

function openOf({ purchases }: MarketModel, buyer: number): PurchaseModel[] {
  return purchases.filter((purchase) => purchase.buyer === buyer && purchase.state === 'held')
}

/** A part that is held is meant by its own name, or by as many drinks of its listing. */
function isSameOrder({ listings }: MarketModel, { items }: PurchaseModel, wanted: readonly Wanted[]): boolean {
  const isMeant = (item: ItemModel, { listing, amount }: Wanted) =>
    (item.listing === listing && (amount === undefined || amount === item.amount)) ||
    (itemAt(listings, item.listing).partOf === listing && amount === item.amount)
  return (
    items.length === wanted.length &&
    wanted.every((asked) => items.some((item) => isMeant(item, asked))) &&
    items.every((item) => wanted.some((asked) => isMeant(item, asked)))
  )
}

function refusalOf(model: MarketModel, buyer: number, wanted: readonly Wanted[]): ErrorCode | undefined {
  for (const asked of wanted) {
    const refusal = refusalOfItem(model, buyer, asked)
    if (refusal) return refusal
  }
  const abandoned = model.purchases.filter((purchase) => purchase.buyer === buyer && (purchase.abandoned || endsUnsent(purchase)))
  if (wanted.some(({ listing }) => abandoned.filter((purchase) => isOf(model, purchase, listing)).length >= 2)) return 'COOLDOWN'
  const others = openOf(model, buyer).filter(({ items }) => !items.some((item) => wanted.some(({ listing }) => listing === item.listing)))
  const held = others.reduce((sum, { items }) => sum + items.length, 0)
  const mostItems = abandoned.length >= 3 ? 1 : MOST_ITEMS
  if (others.length >= MOST_HOLDS || held + wanted.length > mostItems) return 'TOO_MANY_HOLDS'
  return others.some((other) => isAlike(other, plan(model, wanted), model)) ? 'AMBIGUOUS_HOLD' : undefined
}

function refusalOfItem({ listings, purchases }: MarketModel, buyer: number, { listing, amount }: Wanted): ErrorCode | undefined {
  const { state, heldBy, amount: left, divisible } = itemAt(listings, listing)
  if (state === 'reserved') return 'LISTING_HELD'
  if (state !== 'active') return 'LISTING_NOT_ACTIVE'
  const holder = heldBy === undefined ? undefined : itemAt(purchases, heldBy)
  if (holder && !endsUnsent(holder)) return holder.buyer === buyer ? 'HELD_BY_YOU' : 'LISTING_HELD'
  if (amount === undefined || amount === left) return undefined
  if (amount > left) return 'AMOUNT_NOT_LEFT'
  return divisible ? undefined : 'NOT_DIVISIBLE'
}

/** Whether a purchase had an item of the same listing, in whole or in part. */
function isOf({ listings }: MarketModel, { items }: PurchaseModel, wanted: number): boolean {
  const root = itemAt(listings, wanted).partOf ?? wanted
  return items.some(({ listing }) => listing === root || itemAt(listings, listing).partOf === root)
}

function plan({ listings }: MarketModel, wanted: readonly Wanted[]): ItemModel[] {
  return wanted.map(({ listing, amount }) => {
    const row = itemAt(listings, listing)
    const asked = amount ?? row.amount
    return { listing, seller: row.seller, amount: asked, lamports: costOf(row, asked) }
  })
}

/** Nobody could tell their payments apart: the same sum to the same single recipient. */
function isAlike(open: PurchaseModel, planned: readonly ItemModel[], model: MarketModel): boolean {
  const [ours, theirs] = [sellersOf(planned), sellersOf(open.items)]
  const isFree = open.fee === 0n && feeOf(model, planned) === 0n
  return isFree && ours.length === 1 && theirs.length === 1 && ours[0] === theirs[0] && totalOf(open.items) === totalOf(planned)
}
