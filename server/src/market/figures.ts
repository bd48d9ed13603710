import { Failure } from '@juicebar/contract/errors'
import { parseTime } from '@juicebar/contract/formats/time'
import { MAX_CANDLES } from '@juicebar/contract/limits'
import { solText } from '@juicebar/contract/money'
import { type CandleStep } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type Catalogue, requireTokenType } from '../catalogue/catalogue.ts'

const MINUTE = 60_000
/** The length of each step, and how many candles to show by default: a day, a week, a year. */
const steps: Record<CandleStep, { millis: number; usual: number }> = {
  '5m': { millis: 5 * MINUTE, usual: 288 },
  '1h': { millis: 60 * MINUTE, usual: 168 },
  '1d': { millis: 24 * 60 * MINUTE, usual: 365 },
}

/** Candles that begin at `from` or later, and before `to`. */
export interface CandleQuery {
  tokenType: TokenType
  step: CandleStep
  from: Date
  to: Date
}

interface CandleFields {
  tokenType: string
  step: CandleStep
  from?: string
  to?: string
}

/**
 * Reads the query of `GET /api/marketplace/candles`.
 * @throws TOKEN_TYPE_UNKNOWN, BAD_REQUEST
 */
export function readCandleQuery(fields: CandleFields, catalogue: Pick<Catalogue, 'find'>, now: Date): CandleQuery {
  const tokenType = requireTokenType(catalogue, fields.tokenType)
  const { step } = fields
  const { millis, usual } = steps[step]
  const end = readMoment('to', fields.to) ?? now
  const from = readMoment('from', fields.from) ?? new Date((stepsBefore(end, millis) - usual) * millis)
  if (from > end) throw new Failure('BAD_REQUEST', { detail: 'from must not be after to' })
  const asked = stepsBefore(end, millis) - stepsBefore(from, millis)
  if (asked > MAX_CANDLES) {
    throw new Failure('BAD_REQUEST', {
      detail: `there are ${asked} steps of ${step} from from to to; at most ${MAX_CANDLES} can be read at a time`,
    })
  }
  // Without an end, the newest candle is the last by the database's clock, which may be ahead of this one.
  return { tokenType, step, from, to: fields.to === undefined ? new Date(now.getTime() + millis) : end }
}

/** Whether many callers are likely to ask for this range: from one whole step to another, or to the newest. */
export function isOfWholeSteps({ step, from, to }: Pick<CandleFields, 'step' | 'from' | 'to'>): boolean {
  return [from, to].every((text) => text === undefined || Date.parse(text) % steps[step].millis === 0)
}

/** How many steps begin before a time, counted from 1970, so that they begin at whole steps of UTC. */
function stepsBefore(time: Date, millis: number): number {
  return Math.ceil(time.getTime() / millis)
}

function readMoment(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = parseTime(text)
  if (!time) throw new Failure('BAD_REQUEST', { detail: `${field} must be a date, or a time with its zone, in ISO 8601` })
  return time
}

/** Prices are of one drink, in whole lamports. */
export interface CandleRow {
  start: Date
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  amount: bigint
  /** The total paid, in whole lamports, as text. */
  lamports: string
  trades: bigint
}

/** A candle as replies carry it. SOL is written digit by digit, because a float cannot represent all digits. */
export function candleJson({ start, open, high, low, close, amount, lamports, trades }: CandleRow): string {
  const paid = BigInt(lamports)
  return (
    `{"start":"${start.toISOString()}","open":${solText(open)},"high":${solText(high)},"low":${solText(low)},"close":${solText(close)},` +
    `"amount":${amount},"sol":${solText(paid)},"trades":${trades},"average":${solText(unitLamports(paid, amount))}}`
  )
}

/** Like the database's function of that name: the price of one, in whole lamports; halves are rounded up. */
function unitLamports(lamports: bigint, amount: bigint): bigint {
  return (2n * lamports + amount) / (2n * amount)
}

/** What is for sale at one price. */
export interface LevelRow {
  unitLamports: bigint
  amount: bigint
  listings: bigint
  /** The amount for sale at all prices, including those not among the rows; the same in each row. */
  total: string
}

/** The depth of a drink as replies carry it; `levels` are the cheapest first. */
export function depthJson(levels: readonly LevelRow[]): string {
  const [cheapest] = levels
  const rows = levels.map(
    ({ unitLamports, amount, listings }) =>
      `{"unitPrice":${solText(unitLamports)},"lamports":"${unitLamports}","amount":${amount},"listings":${listings}}`,
  )
  return `{"levels":[${rows.join(',')}],"floor":${cheapest ? solText(cheapest.unitLamports) : 'null'},"amount":${cheapest?.total ?? 0}}`
}

/** A drink's figures: prices of one in whole lamports, sums as text. */
export interface SummaryRow {
  tokenType: string
  floor: bigint | null
  amount: string
  last: bigint | null
  /** The last price at or before 24 hours ago. */
  lastBefore: bigint | null
  volumeLamports: string
}

/** The summary as replies carry it. */
export function summaryJson(rows: readonly SummaryRow[]): string {
  const items = rows.map(
    ({ tokenType, floor, last, lastBefore, volumeLamports, amount }) =>
      `{"tokenType":"${tokenType}","floor":${sol(floor)},"last":${sol(last)},"change24h":${change(last, lastBefore)},` +
      `"volume24h":${solText(BigInt(volumeLamports))},"amount":${amount}}`,
  )
  return `{"items":[${items.join(',')}]}`
}

function sol(lamports: bigint | null): string {
  return lamports === null ? 'null' : solText(lamports)
}

/** Also null if the former price rounds to zero. */
function change(last: bigint | null, before: bigint | null): string {
  return last === null || before === null || before === 0n ? 'null' : JSON.stringify(Number(last - before) / Number(before))
}

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
