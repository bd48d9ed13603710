import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'

interface WaitingProps {
  /** What is being loaded, as the start of a sentence in the plural. */
  what: string
  failed: boolean
  /** The browser is offline, and asks when it is not any more. */
  paused: boolean
  onRetry: () => void
}

/** Stands in for figures that are not there: they are loading, the browser is offline, or they could not be loaded. */
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
        'You are offline. They are loaded as soon as you are back.'
      ) : (
        <>
          <Spinner className="size-7" />
          <span className="sr-only">{what} are loading</span>
        </>
      )}
    </div>
  )
}
