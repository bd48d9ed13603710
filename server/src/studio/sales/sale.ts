import { type Sale } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'

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
  checkoutId: string | null
  /** What the game calls that checkout. */
  clientReference: string | null
}

/** The entry for a sale whose payment the chain has undone. */
export function reversalOf(sale: SaleRow, noticedAt: Date): SaleRow {
  return { ...sale, isReversal: true, settledAt: noticedAt }
}

/** A sale as calls and webhooks report it. */
export function saleReply(row: SaleRow): Sale {
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
    checkout: row.checkoutId === null ? null : { id: row.checkoutId, clientReference: row.clientReference },
  }
}
