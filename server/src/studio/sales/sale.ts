import { Failure } from '@juicebar/contract/errors'
import { type Sale } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'

/** A place in the order of sales. */
export interface SalePosition {
  ordinal: bigint
  /** When the entry got its place, in microseconds. A database that has lost entries gives their places to others, at a different time. */
  stampedAt: bigint
}

/** Before the first sale. */
export const start: SalePosition = { ordinal: 0n, stampedAt: 0n }

const positionText = /^(\d{1,18})-(\d{1,18})$/

/** A position as replies carry it. */
export function saleCursor({ ordinal, stampedAt }: SalePosition): string {
  return `${ordinal}-${stampedAt}`
}

/**
 * Reads what `saleCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parseSaleCursor(cursor: string): SalePosition {
  const [, ordinal, stampedAt] = positionText.exec(cursor) ?? []
  if (ordinal === undefined || stampedAt === undefined) throw new Failure('CURSOR_INVALID')
  return { ordinal: BigInt(ordinal), stampedAt: BigInt(stampedAt) }
}

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
  }
}
