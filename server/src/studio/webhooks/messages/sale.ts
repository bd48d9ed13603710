import { type TokenType } from '@juicebar/contract/token-types'

import { feeShares } from '../../../purchases/fee.ts'
import { type PurchaseItem } from '../../../purchases/purchase-item.ts'

/** One settled item, or its reversal. */
export interface SaleRow {
  purchaseId: string
  /** Of the item in its purchase, from 1. */
  place: number
  isReversal: boolean
  listingId: string
  buyer: string
  seller: string
  tokenType: TokenType
  amount: bigint
  priceLamports: bigint
  feeLamports: bigint
  feeBasisPoints: number
  signature: string
  /** Of a reversal, when the server found out. */
  settledAt: Date
}

export interface SoldPurchase {
  id: string
  buyer: string
  items: PurchaseItem[]
  feeBasisPoints: number
  feeWallet: PurchaseItem['seller'] | null
  signature: string
  settledAt: Date
}

/**
 * The sales of a settled purchase, one for each item, or their reversals.
 * @param undoneAt when the server found out that the chain has undone the payment; undefined if it has not
 */
export function salesOf({ items, feeBasisPoints, feeWallet, buyer, ...sold }: SoldPurchase, undoneAt?: Date): SaleRow[] {
  const paid = items.map(({ seller, lamports }) => ({ seller, lamports: BigInt(lamports) }))
  const fees = feeShares(paid, { basisPoints: feeBasisPoints, wallet: feeWallet ?? undefined }, buyer)
  return items.map(({ listingId, seller, tokenType, amount, lamports }, index) => ({
    purchaseId: sold.id,
    place: index + 1,
    isReversal: undoneAt !== undefined,
    listingId,
    buyer,
    seller,
    tokenType,
    amount: BigInt(amount),
    priceLamports: BigInt(lamports),
    feeLamports: fees[index] ?? 0n,
    feeBasisPoints,
    signature: sold.signature,
    settledAt: undoneAt ?? sold.settledAt,
  }))
}

/** A sale as the studio is told of it. */
export function saleReply(row: SaleRow) {
  const saleId = `${row.purchaseId}.${row.place}`
  return {
    saleId: row.isReversal ? `${saleId}.reversed` : saleId,
    reverses: row.isReversal ? saleId : null,
    purchaseId: row.purchaseId,
    listingId: row.listingId,
    buyer: row.buyer,
    seller: row.seller,
    tokenType: row.tokenType,
    amount: Number(row.amount),
    lamports: row.priceLamports.toString(),
    fee: { lamports: row.feeLamports.toString(), basisPoints: row.feeBasisPoints },
    signature: row.signature,
    settledAt: row.settledAt.toISOString(),
  }
}
