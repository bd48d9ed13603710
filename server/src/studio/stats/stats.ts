import { Failure } from '@juicebar/contract/errors'
import { type StatsGroup, type StatsRow } from '@juicebar/contract/schemas'

/** Up to `to`, which is left out. */
export interface StatsRange {
  from: Date
  to: Date
}

const DAY_MILLIS = 86_400_000
const USUAL_DAYS = 30
const timeText = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/**
 * Reads the range that a caller asks for.
 * @throws BAD_REQUEST
 */
export function readRange({ from, to }: { from?: string; to?: string }, now: Date): StatsRange {
  const end = to === undefined ? now : readTime('to', to)
  const start = from === undefined ? new Date(end.getTime() - USUAL_DAYS * DAY_MILLIS) : readTime('from', from)
  if (start > end) throw new Failure('BAD_REQUEST', { detail: 'from must not be after to' })
  return { from: start, to: end }
}

function readTime(field: string, text: string): Date {
  const [, date] = timeText.exec(text) ?? []
  const time = new Date(text)
  const day = new Date(`${date}T00:00:00Z`)
  // A date such as the 30th of February is another one to JavaScript.
  const exists = date !== undefined && !Number.isNaN(time.getTime()) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
  if (!exists) throw new Failure('BAD_REQUEST', { detail: `${field} must be a date, or a time with its zone, in ISO 8601` })
  return time
}

const figures = ['sales', 'buyers', 'volumeLamports', 'medianUnitPrice', 'feesLamports', 'credited', 'debited'] as const

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
