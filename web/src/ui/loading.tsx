import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'
import { Spinner } from './spinner.tsx'

interface LoadingProps {
  failed: boolean
  /** What is being loaded, as the start of a sentence. */
  what: string
  onRetry: () => void
}

/** Shown in place of data: a spinner, or a message if the data could not be loaded. A failure never looks like an empty list. */
export function Loading({ failed, what, onRetry }: LoadingProps) {
  if (failed) {
    return (
      <EmptyState title={`${what} could not be loaded`}>
        <Button onClick={onRetry}>Try again</Button>
      </EmptyState>
    )
  }
  return (
    <div role="status" className="grid justify-items-center py-20 text-dim">
      <Spinner className="size-8" />
      <span className="sr-only">{what} is loading</span>
    </div>
  )
}
