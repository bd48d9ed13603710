import { MAX_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import { feeAt } from '@juicebar/contract/money'

import { catalogue } from '../../../catalogue/catalogue.ts'
import { type BasketLot } from './basket-store.ts'
import { priceOf } from './order-terms.ts'
import { type Order, type OrderItem } from './order.ts'

/** Why one more lot does not fit; undefined if it does. */
export function refusalToGather(lots: readonly BasketLot[], { seller }: OrderItem): string | undefined {
  if (lots.length >= MAX_ITEMS) return `A basket has room for ${MAX_ITEMS} lots. Buy these first, or take one out.`
  const sellers = new Set(lots.map((lot) => lot.seller))
  if (sellers.size >= MAX_SELLERS && !sellers.has(seller)) {
    return `One payment can go to ${MAX_SELLERS} sellers at most, and your basket has that many. Buy these first, or take one out.`
  }
  return undefined
}

/** The lots of a basket that can be bought, as one order; undefined if there are none. */
export function basketOrder(lots: readonly BasketLot[], basisPoints: number): Order | undefined {
  const items = lots.filter(({ gone }) => gone === undefined)
  if (items.length === 0) return undefined
  // An upper bound: the studio's own lots are free of the fee.
  return { items, fee: feeAt(priceOf(items), basisPoints), origin: 'chosen' }
}

/** A wallet's basket as text, to be kept over a reload. */
export function writeBasket(walletAddress: string, lots: readonly BasketLot[]): string {
  const kept = lots.map(({ listingId, seller, tokenType, amount, lamports }) => ({
    listingId,
    seller,
    tokenType,
    amount,
    lamports: String(lamports),
  }))
  return JSON.stringify({ walletAddress, lots: kept })
}

/** Reads what `writeBasket` wrote. Returns an empty basket for another wallet's text or for anything else. */
export function readBasket(text: string | null, walletAddress: string): BasketLot[] {
  const kept = parse(text)
  if (!isRecord(kept) || kept['walletAddress'] !== walletAddress || !Array.isArray(kept['lots'])) return []
  return kept['lots'].flatMap(readLot).slice(0, MAX_ITEMS)
}

function readLot(value: unknown): BasketLot[] {
  if (!isRecord(value)) return []
  const { listingId, seller, amount, lamports } = value
  const known = catalogue().items.find(({ code }) => code === value['tokenType'])
  if (!known || typeof listingId !== 'string' || typeof seller !== 'string') return []
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 1) return []
  if (typeof lamports !== 'string' || !/^\d{1,18}$/.test(lamports)) return []
  return [{ listingId, seller, tokenType: known.code, tokenName: known.name, amount, lamports: BigInt(lamports) }]
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
