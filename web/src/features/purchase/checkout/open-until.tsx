import { formatClock, formatCountdown } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'

/** Only this close to the end do seconds count, in milliseconds. */
const COUNTDOWN_MS = 120_000

/** Until when a checkout can be paid. Screen readers would announce a countdown every second, so it is a visual one. */
export function OpenUntil({ until }: { until: number }) {
  const left = until - useNow()
  return (
    <p className="figures text-tiny text-dim" aria-live="off">
      {left > COUNTDOWN_MS ? `Open until ${formatClock(until)}` : `Open for another ${formatCountdown(left)}`}
    </p>
  )
}
