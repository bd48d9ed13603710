import { lamportsToSol } from '@juicebar/contract/money'
import { type Purchase } from '@juicebar/contract/schemas'

import { formatAmount, formatSol } from '../../../ui/format.ts'
import { type Order, type OrderItem } from './order.ts'
import { PurchaseStopped } from './wait-while-busy.ts'

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

interface Bought {
  seller: string
  tokenName: string
  amount: number
}

/** What is bought, and from how many sellers if more than one: "120 Apple Juice and 5 Grape Soda from 3 sellers". */
export function boughtText(items: readonly Bought[]): string {
  const amounts = new Map<string, number>()
  for (const { tokenName, amount } of items) amounts.set(tokenName, (amounts.get(tokenName) ?? 0) + amount)
  const drinks = [...amounts].map(([name, amount]) => `${formatAmount(amount)} ${name}`)
  const last = drinks.pop() ?? ''
  const text = drinks.length > 0 ? `${drinks.join(', ')} and ${last}` : last
  const sellers = new Set(items.map(({ seller }) => seller)).size
  return sellers > 1 ? `${text} from ${sellers} sellers` : text
}

/** An order in one line, with its price. A fee of 0 is not mentioned. */
export function orderText({ items, fee }: Order): string {
  const price = `${boughtText(items)} for ${formatLamports(priceOf(items))} SOL`
  return fee > 0n ? `${price} and a fee of ${formatLamports(fee)} SOL` : price
}

/** Lamports as SOL without trailing zeros. */
export function formatLamports(lamports: bigint): string {
  return formatSol(lamportsToSol(lamports))
}

/** What to tell the buyer of a purchase that ended without delivery: whether SOL moved, and what to do. */
export function endedText(purchase: Purchase): string {
  switch (purchase.endReason) {
    case 'cancelled':
      return 'You cancelled this purchase. No SOL moved.'
    case 'lapsed':
      return 'The time to pay ran out. No SOL moved; do not approve the payment now.'
    case 'expired':
      return 'The network did not take your payment in time, and it can no longer land. No SOL moved. You can buy again.'
    case 'failed':
      return 'The network carried out your payment without effect. No SOL moved but the network fee. You can buy again.'
    case 'chain_gone':
      return 'The local chain was restarted, so this purchase ended. No SOL moved on the current chain.'
    case 'released':
      return `The studio released this listing: ${purchase.releaseReason ?? ''} If you paid for it after all, your payment is still found, and then delivered, or shown in the market under Needs attention.`
    default:
      return 'This purchase ended without delivery. Your history shows what became of the payment.'
  }
}

/** What the buyer has to know of a hold that only the studio can end. */
export const studioDecidesText =
  'The network can no longer show whether this listing was paid for, so the studio decides. Do not pay now. If you have paid, your payment is still looked for.'

/** What the buyer has to know while the server has not said what becomes of a signed payment. */
export const unansweredText =
  'The market has not answered yet. Your signed payment is submitted again until it does, so do not approve another one for this.'
