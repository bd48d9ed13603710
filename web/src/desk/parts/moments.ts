const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })

/** A UTC date as "31 Jan". */
export function shortDay(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`))
}

/** A UTC date as "Thursday, 31 January". */
export function longDay(date: string): string {
  return weekday.format(new Date(`${date}T00:00:00Z`))
}

/** How long something has lasted: "under a minute", "12 min", "3 h", "4 days". */
export function howLong(since: string, now: number): string {
  const age = now - Date.parse(since)
  if (age < MINUTE_MS) return 'under a minute'
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`
  if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h`
  return `${Math.floor(age / DAY_MS)} days`
}
