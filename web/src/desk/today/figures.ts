import { lamportsToSol } from '@juicebar/contract/money'
import { type Case, type CaseKind, type StatsRow, type Webhook } from '@juicebar/contract/schemas'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** The figures of a UTC day. Amounts of SOL are for drawing; the lamports are exact. */
export interface Day {
  day: string
  sales: number
  buyers: number
  volumeLamports: bigint
  feesLamports: bigint
  /** In SOL; null if nothing was sold. */
  medianUnitPrice: number | null
}

/** The UTC date of a moment: "2030-01-31". */
export function utcDay(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10)
}

/** The first of this many UTC days that end with today. */
export function firstDay(now: number, days: number): string {
  return utcDay(now - (days - 1) * DAY_MS)
}

/** Every day from `from` to today, including days without any activity, which the server omits. */
export function fillDays(stats: readonly StatsRow[], from: string, now: number): Day[] {
  const rows = new Map(stats.map((row) => [row.day, row]))
  const days: Day[] = []
  for (let at = Date.parse(from); at <= now; at += DAY_MS) {
    const day = utcDay(at)
    const row = rows.get(day)
    days.push({
      day,
      sales: row?.sales ?? 0,
      buyers: row?.buyers ?? 0,
      volumeLamports: BigInt(row?.volumeLamports ?? 0),
      feesLamports: BigInt(row?.feesLamports ?? 0),
      medianUnitPrice: row?.medianUnitPrice ?? null,
    })
  }
  return days
}

/** The figures of an hour. */
export interface Hour {
  /** When it begins, in ISO 8601. */
  start: string
  sales: number
  volumeLamports: bigint
}

/** The start of the first of this many UTC hours that end with the present one; for none, the end of the present one. */
export function firstHour(now: number, hours: number): string {
  return utcHour(now - (hours - 1) * HOUR_MS)
}

/** Every hour from `from` to the present one, including hours without any activity. */
export function fillHours(stats: readonly StatsRow[], from: string, now: number): Hour[] {
  const rows = new Map(stats.map((row) => [row.hour, row]))
  const hours: Hour[] = []
  for (let at = Date.parse(from); at <= now; at += HOUR_MS) {
    const start = utcHour(at)
    const row = rows.get(start)
    hours.push({ start, sales: row?.sales ?? 0, volumeLamports: BigInt(row?.volumeLamports ?? 0) })
  }
  return hours
}

/** The hour of UTC in which a moment is, as the server writes it: "2030-01-31T14:00:00Z". */
function utcHour(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 13)}:00:00Z`
}

/** Lamports as SOL, for the height of a bar. */
export function drawnSol(lamports: bigint): number {
  return lamportsToSol(lamports)
}

/** How long cases have waited, as columns of a chart. */
export const ages = [
  { label: 'under 1 h', most: 3_600_000 },
  { label: 'under 1 day', most: DAY_MS },
  { label: 'under 1 week', most: 7 * DAY_MS },
  { label: 'longer', most: Infinity },
] as const

type Waiting = Pick<Case, 'openedAt' | 'kind'>

/** How many cases have waited how long, in the order of `ages`. */
export function countByAge(cases: readonly Waiting[], now: number): number[] {
  const counts = ages.map(() => 0)
  for (const { openedAt } of cases) {
    const age = now - Date.parse(openedAt)
    const column = ages.findIndex(({ most }) => age < most)
    counts[column] = (counts[column] ?? 0) + 1
  }
  return counts
}

/** How many cases there are of each kind, and since when the oldest waits; the most frequent kind first. */
export function countByKind(cases: readonly Waiting[]): { kind: CaseKind; count: number; oldest: string }[] {
  const kinds = new Map<CaseKind, { kind: CaseKind; count: number; oldest: string }>()
  for (const { kind, openedAt } of cases) {
    const known = kinds.get(kind)
    if (!known) kinds.set(kind, { kind, count: 1, oldest: openedAt })
    else kinds.set(kind, { kind, count: known.count + 1, oldest: openedAt < known.oldest ? openedAt : known.oldest })
  }
  return [...kinds.values()].sort((one, other) => other.count - one.count)
}

/** A message that waits longer than this is waiting for its receiver, not for its turn. */
const BEHIND_MS = 60_000

/** Whether a webhook's messages wait: it is switched off, its receiver fails, or it is too slow. */
export function isBehind(webhook: Pick<Webhook, 'enabled' | 'failedAttempts' | 'waitingSince'>, now: number): boolean {
  const { enabled, failedAttempts, waitingSince } = webhook
  if (waitingSince === null) return false
  return !enabled || failedAttempts > 0 || now - Date.parse(waitingSince) > BEHIND_MS
}
