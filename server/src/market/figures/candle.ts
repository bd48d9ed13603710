import { Failure } from '@juicebar/contract/errors'
import { parseTime } from '@juicebar/contract/formats/time'
import { MAX_CANDLES } from '@juicebar/contract/limits'
import { solText } from '@juicebar/contract/money'
import { type CandleStep } from '@juicebar/contract/schemas'
import { type TokenType } from '@juicebar/contract/catalogue'

import { type Catalogue, requireTokenType } from '../../catalogue/catalogue.ts'

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
