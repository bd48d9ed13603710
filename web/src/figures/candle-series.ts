import { type TokenType } from '@juicebar/contract/catalogue'
import { LAMPORTS_PER_SOL, nearestLamports, roundToLamport } from '@juicebar/contract/money'
import { type CandleStep } from '@juicebar/contract/schemas'
import { queryOptions } from '@tanstack/react-query'

import { type Candle, figureKeys, FIGURES_REFRESH_MS, readCandles } from './figure-queries.ts'
import { DAY, HOUR, nextStep } from './last-day.ts'

const MINUTE = 60_000
export const stepMillis: Record<CandleStep, number> = { '5m': 5 * MINUTE, '1h': HOUR, '1d': DAY }

/** How far back a chart reaches, and in which steps it is read. `count` is how many; undefined for all since the first trade. */
export const ranges = {
  day: { step: '5m', count: 288 },
  week: { step: '1h', count: 168 },
  month: { step: '1h', count: 720 },
  all: { step: '1d', count: undefined },
} as const satisfies Record<string, { step: CandleStep; count: number | undefined }>

export type Range = keyof typeof ranges

/** Steps that the server answers for at a time. */
const MOST_STEPS = 500
/** "All" is at most this many times as many days: 27 years. */
const MOST_READS = 20
/** How often old candles are read again, because a payment that the chain has undone is removed from them. In milliseconds. */
const READ_ALL_AGAIN_MS = 5 * MINUTE

/** Candles, the oldest first, and when all of them were last read, by this browser's clock. */
export interface CandleSeries {
  candles: readonly Candle[]
  readAt: number
  /** The first moment of the range, in milliseconds; undefined for all since the first trade. */
  from: number | undefined
}

/** The candles of a range up to now. Of those already loaded, only the newest are read again. */
export function candlesQuery(tokenType: TokenType, range: Range) {
  return queryOptions({
    queryKey: [...figureKeys.candles(tokenType), range],
    queryFn: async ({ client, queryKey, signal }): Promise<CandleSeries> => {
      const known = client.getQueryData<CandleSeries>(queryKey)
      const asked = { tokenType, range, from: firstMoment(range, Date.now()), signal }
      return known && Date.now() - known.readAt < READ_ALL_AGAIN_MS ? await readNewest(asked, known) : await readRange(asked)
    },
    refetchInterval: FIGURES_REFRESH_MS,
    meta: { quiet: true },
  })
}

interface Asked {
  tokenType: TokenType
  range: Range
  from: number | undefined
  signal: AbortSignal
}

/** Trades since everything was read are in that step and later ones; a delivery that was announced late may be in the step before. */
async function readNewest({ tokenType, range, from, signal }: Asked, known: CandleSeries): Promise<CandleSeries> {
  const { step } = ranges[range]
  const since = nextStep(known.readAt, stepMillis[step]) - 2 * stepMillis[step]
  const tail = await readCandles({ tokenType, step, from: new Date(since).toISOString() }, signal)
  const candles = withTail(known.candles, since, tail)
  return { candles: candles.filter(({ start }) => from === undefined || Date.parse(start) >= from), readAt: known.readAt, from }
}

async function readRange({ tokenType, range, from, signal }: Asked): Promise<CandleSeries> {
  const readAt = Date.now()
  const { step } = ranges[range]
  const length = MOST_STEPS * stepMillis[step]
  let before = nextStep(readAt, stepMillis[step])
  let to: string | undefined
  let candles: Candle[] = []
  for (let reads = 0; reads < MOST_READS; reads++) {
    const since = Math.max(from ?? 0, before - length)
    const part = await readCandles({ tokenType, step, from: new Date(since).toISOString(), ...(to && { to }) }, signal)
    candles = [...part, ...candles]
    // There are no candles before the first trade, and no market is idle for 500 days.
    if (from === undefined ? part.length === 0 : since === from) break
    before = since
    to = new Date(since).toISOString()
  }
  return { candles, readAt, from }
}

/** The first moment of a range that ends with the step that is under way. */
function firstMoment(range: Range, now: number): number | undefined {
  const { step, count } = ranges[range]
  const millis = stepMillis[step]
  return count === undefined ? undefined : nextStep(now, millis) - count * millis
}

const LAMPORTS = Number(LAMPORTS_PER_SOL)

/**
 * Candles with the newest of them read again: those that begin at `from` or later are replaced.
 *
 * @param from in milliseconds
 */
export function withTail(known: readonly Candle[], from: number, tail: readonly Candle[]): Candle[] {
  return [...known.filter(({ start }) => Date.parse(start) < from), ...tail]
}

/**
 * Candles of a longer step, made of those of a shorter one. Steps are counted from 1970, as the server does.
 *
 * @param step the longer one, in milliseconds: a multiple of the candles' own
 */
export function gathered(candles: readonly Candle[], step: number): Candle[] {
  const whole: Candle[] = []
  for (const candle of candles) {
    const start = new Date(Math.floor(Date.parse(candle.start) / step) * step).toISOString()
    const last = whole.at(-1)
    if (last?.start === start) whole[whole.length - 1] = together(last, candle)
    else whole.push({ ...candle, start })
  }
  return whole
}

function together(first: Candle, next: Candle): Candle {
  const amount = first.amount + next.amount
  const sol = roundToLamport(first.sol + next.sol)
  return {
    start: first.start,
    open: first.open,
    high: Math.max(first.high, next.high),
    low: Math.min(first.low, next.low),
    close: next.close,
    amount,
    sol,
    trades: first.trades + next.trades,
    // Of whole lamports, a half is rounded up, as the server does. A quotient of SOL may lie just below a half.
    average: Math.round(nearestLamports(sol) / amount) / LAMPORTS,
  }
}
