import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'

interface WaitingProps {
  /** What is being loaded: the plural subject of a sentence. */
  what: string
  failed: boolean
  /** The browser is offline, and will load the figures when it is online again. */
  paused: boolean
  onRetry: () => void
}

/** Shown in place of missing figures: they are loading, the browser is offline, or they could not be loaded. */
export function Waiting({ what, failed, paused, onRetry }: WaitingProps) {
  if (failed) {
    return (
      <div role="status" className="grid justify-items-center gap-3 py-6 text-center text-small">
        {what} could not be loaded.
        <Button onClick={onRetry}>Try again</Button>
      </div>
    )
  }
  return (
    <div role="status" className="grid justify-items-center gap-3 py-6 text-center text-small text-dim">
      {paused ? (
        'You are offline. They will load when you are back online.'
      ) : (
        <>
          <Spinner className="size-7" />
          <span className="sr-only">{what} are loading</span>
        </>
      )}
    </div>
  )
}
