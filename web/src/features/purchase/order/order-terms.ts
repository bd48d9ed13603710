import { type Purchase } from '@juicebar/contract/schemas'

import { type Order, type OrderItem } from './order.ts'
import { PurchaseStopped } from './purchase-stopped.ts'

type PurchaseItem = Purchase['items'][number]

/** What the sellers receive in total, in lamports. */
export function priceOf(items: readonly OrderItem[]): bigint {
  return items.reduce((sum, { lamports }) => sum + lamports, 0n)
}

/** What the buyer pays in total, including the fee, in lamports. */
export function totalOf({ items, fee }: Order): bigint {
  return priceOf(items) + fee
}

/** The order of an open purchase, so that it can be shown, and paid after all. */
export function orderOf({ items, fee }: Pick<Purchase, 'items' | 'fee'>): Order {
  return {
    items: items.map((item) => ({ ...item, listingId: listingOf(item), lamports: BigInt(item.lamports) })),
    fee: BigInt(fee.lamports),
    origin: 'held',
  }
}

/** The listing on the market that an item is or belongs to. */
function listingOf({ partOf, listingId }: Pick<PurchaseItem, 'partOf' | 'listingId'>): string {
  return partOf ?? listingId
}

/** True if a purchase has exactly these drinks from exactly these listings. */
export function isPurchaseOf({ items }: Order, purchase: Pick<Terms, 'items'>): boolean {
  return (
    items.length === purchase.items.length &&
    items.every(({ listingId, seller, amount }) =>
      purchase.items.some(
        (item) => (listingOf(item) === listingId || item.listingId === listingId) && item.seller === seller && item.amount === amount,
      ),
    )
  )
}

/** What the server asks for an order: of a hold, or of an offer. */
export interface Terms {
  items: readonly Pick<PurchaseItem, 'listingId' | 'partOf' | 'seller' | 'amount' | 'lamports'>[]
  fee: { lamports: string }
  transfers: readonly { to: string; lamports: string; kind: 'seller' | 'fee' }[]
}

/**
 * True if the server asks for what the buyer confirmed: those drinks, of those sellers, for that total or less, and for nothing else; and if
 * its transfers pay each seller what the items cost. A listing may have become cheaper by a lamport, because the price of a part is rounded
 * up.
 */
export function isAsConfirmed(order: Order, terms: Terms): boolean {
  if (!isPurchaseOf(order, terms)) return false
  const { items, transfers } = terms
  const fees = sumOf(transfers.filter(({ kind }) => kind === 'fee'))
  const paidTo = (seller: string) => sumOf(transfers.filter(({ to, kind }) => kind === 'seller' && to === seller))
  const sellers = new Set(order.items.map(({ seller }) => seller))
  const strangers = transfers.some(({ to, kind }) => kind === 'seller' && !sellers.has(to))
  const addsUp = [...sellers].every((seller) => paidTo(seller) === sumOf(items.filter((item) => item.seller === seller)))
  return !strangers && addsUp && sumOf(transfers) <= totalOf(order) && fees === BigInt(terms.fee.lamports) && fees <= order.fee
}

/** @throws PurchaseStopped if the server asks for anything but what the buyer confirmed */
export function requireAsConfirmed(order: Order, terms: Terms): void {
  if (isAsConfirmed(order, terms)) return
  throw new PurchaseStopped('The listing has changed since you confirmed it. Your wallet was not asked; no SOL moved.', { byBuyer: false })
}

function sumOf(parts: readonly { lamports: string }[]): bigint {
  return parts.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n)
}
