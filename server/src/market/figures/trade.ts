import { Failure } from '@juicebar/contract/errors'
import { solText } from '@juicebar/contract/money'

/** A place in the order of trades: by time in whole milliseconds, then by purchase and item. */
export interface TradePosition {
  settledAt: Date
  purchaseId: string
  /** Of the item in its purchase, from 1. */
  place: number
}

export interface TradeRow extends TradePosition {
  tokenType: string
  amount: bigint
  priceLamports: bigint
  unitLamports: bigint
  /** The item's share of the fee. */
  feeLamports: bigint
  signature: string
  /** Only the market could send the payment. */
  coSigned: boolean
}

/** As text, ids with the same time sort like trades. */
export function tradeId({ purchaseId, place }: Pick<TradePosition, 'purchaseId' | 'place'>): string {
  return `${purchaseId}.${String(place).padStart(2, '0')}`
}

/** A trade as replies carry it. SOL is written digit by digit, because a float cannot represent all digits. */
export function tradeJson(row: TradeRow): string {
  const { tokenType, amount, priceLamports, unitLamports, feeLamports, signature, coSigned, settledAt } = row
  return (
    `{"id":"${tradeId(row)}","tokenType":"${tokenType}","amount":${amount},"price":${solText(priceLamports)},"unitPrice":${solText(unitLamports)},` +
    `"lamports":"${priceLamports}","feeLamports":"${feeLamports}","signature":"${signature}","coSigned":${coSigned},` +
    `"settledAt":"${settledAt.toISOString()}"}`
  )
}

/** A position as replies carry it: the next page starts after it. */
export function tradeCursor(position: TradePosition): string {
  return `${position.settledAt.getTime()}.${tradeId(position)}`
}

const cursorText = /^(\d{1,14})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{2})$/

/**
 * Reads what `tradeCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parseTradeCursor(cursor: string): TradePosition {
  const [, millis, purchaseId, place] = cursorText.exec(cursor) ?? []
  if (millis === undefined || purchaseId === undefined || place === undefined) throw new Failure('CURSOR_INVALID')
  return { settledAt: new Date(Number(millis)), purchaseId, place: Number(place) }
}
