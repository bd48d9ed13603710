import { useHydrated } from './in-browser.ts'
import { formatTime, formatTimeUtc } from './format.ts'

/** A timestamp of the server in the browser's time zone; in UTC until that is known. */
export function LocalTime({ at }: { at: string }) {
  return <time dateTime={at}>{useHydrated() ? formatTime(at) : formatTimeUtc(at)}</time>
}
