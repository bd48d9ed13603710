import { useEffect, useState } from 'react'

import { useMarketTime } from '../../api/market-time.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { useNow } from '../../ui/use-now.ts'

/** Shows the age of the market on the screen while it cannot be updated, and reports when it can be again. */
export function AsOfBar() {
  const { asOf } = useMarketTime()
  const { showToast } = useNotices()
  useEffect(() => () => showToast('The market is up to date again.', 'good'), [showToast])
  const age = formatAge(useNow() - asOf)
  const [firstAge] = useState(age)
  return (
    <div className="as-of-bar flex items-center justify-center gap-2.5 px-4 text-small">
      <span className="breathe size-2 flex-none rounded-full bg-warn forced-color-adjust-none" />
      {/* Screen readers announce the age once; they would announce a counter every second. */}
      <p role="status" className="sr-only">
        The market cannot be updated right now. You see it as of {firstAge}, and buying is paused.
      </p>
      <p aria-hidden="true" className="whitespace-nowrap">
        <span className="max-sm:hidden">
          <b className="figures font-semibold">The market as of {age}.</b> It cannot be updated right now, so buying is paused.
        </span>
        <span className="sm:hidden">
          <b className="figures font-semibold">As of {age}</b> · buying is paused
        </span>
      </p>
    </div>
  )
}

/** "20 s ago", and from two minutes on "2 min ago". */
function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  return seconds < 120 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`
}
