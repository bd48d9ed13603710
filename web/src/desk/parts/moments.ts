const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })

const hour = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' })

/** A UTC date as "31 Jan". */
export function shortDay(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`))
}

/** A UTC date as "Thursday, 31 January". */
export function longDay(date: string): string {
  return weekday.format(new Date(`${date}T00:00:00Z`))
}

/** A moment of the last few days in the browser's time zone, as "Thu, 14:00". */
export function hourOfDay(moment: string): string {
  return hour.format(new Date(moment))
}

/** How long something has lasted: "under a minute", "12 min", "3 h", "4 days". */
export function howLong(since: string, now: number): string {
  const age = now - Date.parse(since)
  if (age < MINUTE_MS) return 'under a minute'
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`
  if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h`
  return `${Math.floor(age / DAY_MS)} days`
}
