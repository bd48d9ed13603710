import { formatTime } from '../../../ui/format.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago something happened, in the largest whole unit: "12 s ago". After a week, the time itself. */
export function ageText(timestamp: string, now: number): string {
  const age = now - Date.parse(timestamp)
  // The clock of a browser may be slow.
  if (age < SECOND) return 'just now'
  if (age < MINUTE) return `${Math.floor(age / SECOND)} s ago`
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`
  if (age < 7 * DAY) return `${Math.floor(age / DAY)} d ago`
  return formatTime(timestamp)
}
