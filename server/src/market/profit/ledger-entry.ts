import { type Reply } from '@juicebar/contract/calls'
import { type LedgerKind } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'

import { parseTradeCursor, tradeCursor, tradeId } from '../figures/trade.ts'

/** The source of an entry: an item of a settled purchase, or an order of the studio. */
export type EntryPosition =
  | { at: Date; purchaseId: string; place: number; orderId: null }
  | { at: Date; purchaseId: null; place: null; orderId: bigint }

/** Drinks that a player received or gave, and what was paid for them. */
export interface LedgerEntry {
  position: EntryPosition
  kind: LedgerKind
  tokenType: TokenType
  amount: number
  /** What the seller received; 0 if nothing was paid, as when the chain has undone the payment. */
  lamports: bigint
  /** Paid by a buyer, on top of that. */
  feeLamports: bigint
  signature: string | null
  /** Null for the studio. */
  counterparty: string | null
  isUndone: boolean
}

/** An entry as replies carry it. */
export function entryReply(entry: LedgerEntry): Reply<'myLedger'>['entries'][number] {
  const { position, kind, tokenType, amount, lamports, feeLamports, signature, counterparty, isUndone } = entry
  return {
    id: position.orderId === null ? tradeId(position) : String(position.orderId),
    kind,
    tokenType,
    amount,
    lamports: lamports.toString(),
    feeLamports: feeLamports.toString(),
    signature,
    counterparty,
    undone: isUndone,
    at: position.at.toISOString(),
  }
}

/** A position as replies carry it: the next page starts after it. */
export function entryCursor(position: EntryPosition): string {
  if (position.orderId !== null) return `${position.at.getTime()}.${position.orderId}`
  return tradeCursor({ ...position, settledAt: position.at })
}

const orderCursor = /^(\d{1,14})\.(\d{1,18})$/

/**
 * Reads what `entryCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parseEntryCursor(cursor: string): EntryPosition {
  const [, millis, orderId] = orderCursor.exec(cursor) ?? []
  if (millis !== undefined && orderId !== undefined) {
    return { at: new Date(Number(millis)), purchaseId: null, place: null, orderId: BigInt(orderId) }
  }
  const { settledAt, purchaseId, place } = parseTradeCursor(cursor)
  return { at: settledAt, purchaseId, place, orderId: null }
}
