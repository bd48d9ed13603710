import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamports, type Lamports } from '@juicebar/contract/money'
import { type TokenType } from '@juicebar/contract/catalogue'

/** One item of a purchase, as agreed. */
export interface PurchaseItem {
  /** The row that is sold: a whole listing, or a part of one. */
  listingId: string
  /** The listing that the part was split from. */
  partOf: string | null
  seller: WalletAddress
  tokenType: TokenType
  amount: number
  /** As text, because it travels as JSON. */
  lamports: string
}

/** SQL for the items of a purchase, in order, as `PurchaseItem[]`. */
export const itemsSql = (purchaseId: string) => `items_of(${purchaseId})`

/** The first item, for the fields of older clients, which know only one item. */
export function firstItem(items: readonly PurchaseItem[]): PurchaseItem {
  const [first] = items
  if (!first) throw new Error('a purchase has no items')
  return first
}

/** How many drinks the items have together. */
export function amountOf(items: readonly PurchaseItem[]): number {
  return items.reduce((total, { amount }) => total + amount, 0)
}

/** One transfer of the payment. */
export interface Transfer {
  to: WalletAddress
  lamports: Lamports
  kind: 'seller' | 'fee'
}

interface Payable {
  items: readonly PurchaseItem[]
  feeLamports: bigint
  feeWallet: WalletAddress | null
}

/** What the buyer pays: one transfer to each seller, in the order of the items, and the fee. */
export function transfersOf({ items, feeLamports, feeWallet }: Payable): Transfer[] {
  const bySeller = new Map<WalletAddress, bigint>()
  for (const item of items) bySeller.set(item.seller, (bySeller.get(item.seller) ?? 0n) + BigInt(item.lamports))
  const transfers = [...bySeller].map(([to, amount]): Transfer => ({ to, lamports: lamports(amount), kind: 'seller' }))
  return feeWallet === null ? transfers : [...transfers, { to: feeWallet, lamports: lamports(feeLamports), kind: 'fee' }]
}
