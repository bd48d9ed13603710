const timeText = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Reads a date, which begins in UTC, or a time with its zone, in ISO 8601; undefined for anything else, and for a day that does not exist. */
export function parseTime(text: string): Date | undefined {
  const [, date] = timeText.exec(text) ?? []
  const time = new Date(text)
  const day = new Date(`${date}T00:00:00Z`)
  // JavaScript reads a date such as the 30th of February as a different day.
  const exists = date !== undefined && !Number.isNaN(time.getTime()) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
  return exists ? time : undefined
}
