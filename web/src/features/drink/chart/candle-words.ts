import { type Candle } from '../../../figures/figure-queries.ts'
import { formatAmount, formatUnitPrice } from '../../../ui/format.ts'

const DAY = 24 * 60 * 60_000

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayAndClock = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
/** Days of candles are days in UTC, wherever the browser is. */
const utcDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en-GB', { month: 'short' })
const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric' })

/** The labels of a time axis. */
export const axisFormats = { hour: clock, day, month, year } as const

/** The time of a candle whose step is this many milliseconds: "23 Nov, 14:00 to 14:15", or "23 Nov 2026". */
export function candleTime({ start }: Candle, step: number): string {
  const from = new Date(start)
  const to = new Date(from.getTime() + step)
  if (step < DAY) return `${dayAndClock.format(from)} to ${clock.format(to)}`
  return step === DAY ? utcDay.format(from) : `${utcDay.format(from)} to ${utcDay.format(new Date(to.getTime() - DAY))}`
}

/** What was traded in a candle: "120 for 0.48 SOL in 3 trades". */
export function candleVolume({ amount, sol, trades }: Pick<Candle, 'amount' | 'sol' | 'trades'>): string {
  return `${formatAmount(amount)} for ${formatUnitPrice(sol)} SOL in ${trades === 1 ? '1 trade' : `${formatAmount(trades)} trades`}`
}

/** A candle as a sentence for screen readers. */
export function candleWords(candle: Candle, step: number): string {
  const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map(formatUnitPrice)
  const prices = candle.trades === 1 ? `at ${close} SOL` : `first ${open}, highest ${high}, lowest ${low}, last ${close} SOL`
  return `${candleTime(candle, step)}: ${prices}. ${candleVolume(candle)}.`
}
