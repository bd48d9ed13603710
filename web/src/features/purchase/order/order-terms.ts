import { type Purchase } from '@juicebar/contract/schemas'

import { type Order, type OrderItem } from './order.ts'

type PurchaseItem = Purchase['items'][number]

/** What the sellers receive in total, in lamports. */
export function priceOf(items: readonly OrderItem[]): bigint {
  return items.reduce((sum, { lamports }) => sum + lamports, 0n)
}

/** What the buyer pays in total, including the fee, in lamports. */
export function totalOf({ items, fee }: Order): bigint {
  return priceOf(items) + fee
}

/** The order of an open purchase, so that it can be paid after all. */
export function orderOf({ items, fee }: Pick<Purchase, 'items' | 'fee'>): Order {
  return {
    items: items.map((item) => ({ ...item, listingId: listingOf(item), lamports: BigInt(item.lamports) })),
    fee: BigInt(fee.lamports),
    origin: 'chosen',
  }
}

/** The listing on the market that an item is or belongs to. */
function listingOf({ partOf, listingId }: Pick<PurchaseItem, 'partOf' | 'listingId'>): string {
  return partOf ?? listingId
}

/** True if a purchase has exactly these drinks from exactly these listings. */
export function isPurchaseOf({ items }: Order, purchase: { items: readonly PurchaseItem[] }): boolean {
  return (
    items.length === purchase.items.length &&
    items.every(({ listingId, seller, amount }) =>
      purchase.items.some(
        (item) => (listingOf(item) === listingId || item.listingId === listingId) && item.seller === seller && item.amount === amount,
      ),
    )
  )
}

interface Hold {
  items: readonly PurchaseItem[]
  fee: { lamports: string }
  transfers: readonly { to: string; lamports: string; kind: 'seller' | 'fee' }[]
}

/**
 * True if a hold asks for what the buyer confirmed: those drinks, of those sellers, for that total or less, and for nothing else. A listing
 * may have become cheaper by a lamport, because the price of a part is rounded up.
 */
export function isAsConfirmed(order: Order, hold: Hold): boolean {
  if (!isPurchaseOf(order, hold)) return false
  const paid = hold.transfers.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n)
  const fees = hold.transfers.filter(({ kind }) => kind === 'fee').reduce((sum, { lamports }) => sum + BigInt(lamports), 0n)
  const sellers = new Set(order.items.map(({ seller }) => seller))
  const strangers = hold.transfers.some(({ to, kind }) => kind === 'seller' && !sellers.has(to))
  return !strangers && paid <= totalOf(order) && fees <= order.fee
}
