import { dateAndTime, dateFormat, formatTime } from '../../ui/format.ts'
import { useHydrated } from '../../ui/in-browser.tsx'

const dateAndTimeUtc: Intl.DateTimeFormatOptions = { ...dateAndTime, timeZone: 'UTC' }

/** A timestamp of the server in the browser's time zone; in UTC until that is known. */
export function LocalTime({ at }: { at: string }) {
  return <time dateTime={at}>{useHydrated() ? formatTime(at) : formatTimeUtc(at)}</time>
}

/** A timestamp in UTC, which says so. */
function formatTimeUtc(timestamp: string): string {
  return `${dateFormat(dateAndTimeUtc).format(new Date(timestamp))} UTC`
}
