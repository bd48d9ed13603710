import { type ItemModel, type ListingModel, type MarketModel } from './market-model.ts'
import { itemAt } from './real-market.ts'

/** How holding, ending and delivering split and merge listings: whole drinks and whole lamports, of which none may come or go. */

/** What so much of a listing costs: a part is rounded up. */
export function costOf({ amount, price }: ListingModel, part: number): bigint {
  return part < amount ? (price * BigInt(part) + BigInt(amount) - 1n) / BigInt(amount) : price
}

export function feeOf({ basisPoints }: MarketModel, items: readonly ItemModel[]): bigint {
  return (totalOf(items) * BigInt(basisPoints)) / 10_000n
}

export function totalOf(items: readonly ItemModel[]): bigint {
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
  listing.price -= price
  return model.listings.push({ ...part, seller: listing.seller, amount, price, divisible: false, partOf: number }) - 1
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
    parent.price += part.price
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

export function canDeliver(model: MarketModel, purchase: number): boolean {
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
