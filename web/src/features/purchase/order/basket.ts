import { MAX_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { feeAt } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { type BasketListing, useBasket } from './basket-store.ts'
import { takeOut } from './change-basket.ts'
import { priceOf } from './order-terms.ts'
import { type Order, type OrderItem, orderItemOf } from './order.ts'

/** Why one more listing does not fit; undefined if it does. */
export function refusalToGather(listings: readonly BasketListing[], { seller }: OrderItem): string | undefined {
  if (listings.length >= MAX_ITEMS) return `A basket has room for ${MAX_ITEMS} listings. Buy these first, or take one out.`
  const sellers = new Set(listings.map((listing) => listing.seller))
  if (sellers.size >= MAX_SELLERS && !sellers.has(seller)) {
    return `One payment can go to ${MAX_SELLERS} sellers at most, and your basket has that many. Buy these first, or take one out.`
  }
  return undefined
}

/** The listings of a basket that can be bought, as one order; undefined if there are none. */
export function basketOrder(listings: readonly BasketListing[], basisPoints: number): Order | undefined {
  const items = listings.filter(({ gone }) => gone === undefined)
  if (items.length === 0) return undefined
  // An upper bound: the studio's own listings are free of the fee.
  return { items, fee: feeAt(priceOf(items), basisPoints), origin: 'chosen' }
}

/** A wallet's basket as text, to be kept over a reload. */
export function writeBasket(walletAddress: string, listings: readonly BasketListing[]): string {
  return JSON.stringify({ walletAddress, listings: writeItems(listings) })
}

/** Reads what `writeBasket` wrote. Returns an empty basket for another wallet's text or for anything else. */
export function readBasket(text: string | null, walletAddress: string): BasketListing[] {
  const kept = parseRecord(text)
  return kept?.['walletAddress'] === walletAddress ? readItems(kept['listings']) : []
}

/**
 * Adds a listing, or a part of it, to the basket. Without an amount, adds all of it, or removes it if it is already there.
 *
 * @returns why it does not fit; undefined if it does
 */
export function gatherListing(listing: Listing, amount?: number): string | undefined {
  const before = useBasket.getState().listings
  const others = before.filter(({ listingId }) => listingId !== listing._id)
  if (amount === undefined && others.length < before.length) {
    takeOut([{ listingId: listing._id }])
    return undefined
  }
  const item = orderItemOf(listing, amount ?? listing.amount)
  const refusal = refusalToGather(others, item)
  if (refusal === undefined) useBasket.setState({ listings: [...others, item] })
  return refusal
}

/** Items as JSON has them, to be kept over a reload. */
export function writeItems(items: readonly OrderItem[]): object[] {
  return items.map(({ listingId, seller, tokenType, amount, lamports }) => ({
    listingId,
    seller,
    tokenType,
    amount,
    lamports: String(lamports),
  }))
}

/** Reads what `writeItems` wrote, without what it cannot have written. */
export function readItems(value: unknown): OrderItem[] {
  return Array.isArray(value) ? value.flatMap(readItem).slice(0, MAX_ITEMS) : []
}

function readItem(value: unknown): OrderItem[] {
  if (!isRecord(value)) return []
  const { listingId, seller, amount, lamports } = value
  const known = catalogue().items.find(({ code }) => code === value['tokenType'])
  if (!known || typeof listingId !== 'string' || typeof seller !== 'string') return []
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 1) return []
  if (typeof lamports !== 'string' || !/^\d{1,18}$/.test(lamports)) return []
  return [{ listingId, seller, tokenType: known.code, tokenName: known.name, amount, lamports: BigInt(lamports) }]
}

/** The object in a text of JSON; undefined if it is anything else. */
export function parseRecord(text: string | null): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
