import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { useMarketTime } from '../../api/client.ts'
import { configQuery } from '../../api/queries.ts'
import { showToast } from '../../feedback/notices.ts'
import { useNow } from '../../ui/use-now.ts'

/** Says why nothing can be bought: the market cannot be updated, or the studio has paused it. */
export function ClosedBar({ away }: { away: boolean }) {
  const { data: config } = useQuery(configQuery)
  if (away) return <AsOfBar />
  return config?.pause && <PauseBar message={config.pause.message} />
}

/** Shows the age of the market on the screen while it cannot be updated, and reports when it can be again. */
function AsOfBar() {
  const { asOf } = useMarketTime()
  useEffect(() => () => showToast('The market is up to date again.', 'good'), [])
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

/** The studio's message while nothing can be bought or listed. */
function PauseBar({ message }: { message: string }) {
  return (
    <div className="flex items-center justify-center gap-2.5 border-b border-line bg-warn/15 px-4 py-2.5 text-small">
      <span className="size-2 flex-none rounded-full bg-warn forced-color-adjust-none" />
      <p role="status" className="wrap-anywhere">
        <b className="font-semibold">Buying and selling are paused.</b> {message}{' '}
        <span className="max-sm:sr-only">What you have paid for is delivered, and you can remove listings and refund.</span>
      </p>
    </div>
  )
}
