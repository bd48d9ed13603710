import { Button } from '../../../ui/button.tsx'
import { formatAmount } from '../../../ui/format.ts'
import { useDownloadLedger } from './use-download-ledger.ts'

/** Saves the whole ledger as a file, and shows its progress, a way to stop it, and a way to continue after a failure. */
export function DownloadLedger() {
  const { progress, start, cancel } = useDownloadLedger()
  const isRunning = progress.phase === 'running'
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button onClick={isRunning ? cancel : start}>
        {isRunning ? 'Cancel' : progress.phase === 'failed' ? 'Go on' : 'Download everything as CSV'}
      </Button>
      <p role="status" className="figures text-small text-dim empty:hidden">
        {isRunning && `Collecting: ${formatAmount(progress.count)} lines so far`}
        {progress.phase === 'failed' &&
          `Stopped after ${formatAmount(progress.count)} lines, and nothing was saved. ${progress.reason ?? ''}`}
      </p>
    </div>
  )
}
