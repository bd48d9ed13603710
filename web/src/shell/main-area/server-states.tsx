import { Button } from '../../ui/button.tsx'
import { WarningIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'

/** Shown until the health check has been answered. */
export function CheckingServer() {
  return (
    <div role="status" className="grid flex-1 place-content-center justify-items-center gap-4 py-24 text-dim">
      <Spinner className="size-9" />
      <p>Checking server connection</p>
    </div>
  )
}

/** Shown if the health check failed; Try Again reloads the page. */
export function ServerUnavailable() {
  return (
    <div className="grid flex-1 place-content-center justify-items-center gap-4 px-6 py-24 text-center">
      <span className="grid size-16 place-items-center rounded-full bg-warn/15 text-warn">
        <WarningIcon />
      </span>
      <h2 className="text-title">Server Unavailable</h2>
      <p>Failed to connect to server</p>
      <p className="text-dim">Make sure your internet connection is stable</p>
      <Button kind="primary" onClick={() => location.reload()}>
        Try Again
      </Button>
    </div>
  )
}
