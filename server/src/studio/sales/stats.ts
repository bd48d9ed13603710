import { Failure } from '@juicebar/contract/errors'
import { MAX_STATS_HOURS } from '@juicebar/contract/limits'
import { type StatsGroup, type StatsRow } from '@juicebar/contract/schemas'
import { parseTime } from '@juicebar/contract/formats/time'

/** Up to `to`, exclusive. */
export interface StatsRange {
  from: Date
  to: Date
}

const DAY_MILLIS = 86_400_000
const USUAL_MILLIS = 30 * DAY_MILLIS
const MAX_HOURS_MILLIS = MAX_STATS_HOURS * 3_600_000

/**
 * Reads the range that a caller asks for.
 * @throws BAD_REQUEST
 */
export function readRange({ from, to }: { from?: string; to?: string }, now: Date, group: StatsGroup = 'day'): StatsRange {
  const end = to === undefined ? now : readTime('to', to)
  const start = from === undefined ? new Date(end.getTime() - (group === 'hour' ? MAX_HOURS_MILLIS : USUAL_MILLIS)) : readTime('from', from)
  if (start > end) throw new Failure('BAD_REQUEST', { detail: 'from must not be after to' })
  if (group === 'hour' && end.getTime() - start.getTime() > MAX_HOURS_MILLIS) {
    throw new Failure('BAD_REQUEST', { detail: `by hour, from must be at most ${MAX_STATS_HOURS} hours before to` })
  }
  return { from: start, to: end }
}

function readTime(field: string, text: string): Date {
  const time = parseTime(text)
  if (!time) throw new Failure('BAD_REQUEST', { detail: `${field} must be a date, or a time with its zone, in ISO 8601` })
  return time
}

const figures = ['sales', 'buyers', 'volumeLamports', 'medianUnitPrice', 'feesLamports', 'credited', 'debited', 'amount'] as const

/** The rows as CSV (RFC 4180). No value needs quotes. */
export function statsCsv(rows: readonly StatsRow[], group: StatsGroup): string {
  const columns = [group, ...figures] as const
  const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => row[column] ?? '').join(','))]
  return lines.map((line) => `${line}\r\n`).join('')
}

/** Whether the caller asks for CSV by name, at least as much as for JSON (RFC 9110, section 12.5.1). */
export function takesCsv(accept: string | undefined): boolean {
  const qualityOf = (type: string) => {
    const range = (accept ?? '')
      .split(',')
      .map((each) => each.split(';').map((part) => part.trim().toLowerCase()))
      .find(([name]) => name === type)
    if (!range) return 0
    const quality = range.find((part) => part.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2))
  }
  const csv = qualityOf('text/csv')
  return csv > 0 && csv >= qualityOf('application/json')
}
