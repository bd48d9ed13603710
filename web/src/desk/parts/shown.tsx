import { type ReactNode } from 'react'

import { asSentence, errorSentence } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'

/** The state of data that is read from the server. */
interface Asked<Data> {
  data: Data | undefined
  error: Error | null
  isFetching: boolean
  refetch: () => unknown
}

interface ShownProps<Data> {
  query: Asked<Data>
  /** What is read, as the start of a sentence. */
  what: string
  children: (data: Data) => ReactNode
}

/** Shows the loaded data. Until it has loaded, shows a placeholder; if the read fails, shows the error above any earlier data. */
export function Shown<Data>({ query: { data, error, isFetching, refetch }, what, children }: ShownProps<Data>) {
  if (data === undefined && !error) return <Waiting what={what} />
  return (
    <>
      {error && <Failed what={what} error={error} old={data !== undefined} busy={isFetching} onRetry={() => void refetch()} />}
      {data !== undefined && children(data)}
    </>
  )
}

interface FailedProps {
  what: string
  error: Error
  /** What was read before is still shown. */
  old?: boolean
  busy?: boolean
  onRetry: () => void
}

/** Shows the server's error message if something could not be read. */
export function Failed({ what, error, old = false, busy = false, onRetry }: FailedProps) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-field bg-warn/12 px-4 py-3 text-small">
      <p className="min-w-0 flex-1 basis-60 wrap-anywhere">
        <b className="font-semibold">
          {what} could not be {old ? 'read again, so this may be old' : 'read'}.
        </b>{' '}
        {asSentence(errorSentence(error, 'Nobody knows why'))}
      </p>
      <Button small disabled={busy} onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

function Waiting({ what }: { what: string }) {
  return (
    <div role="status" className="grid min-h-24 place-items-center text-dim">
      <Spinner className="size-7" />
      <span className="sr-only">{what} is being read</span>
    </div>
  )
}

/** Says that a list has nothing in it. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="rounded-field bg-well px-4 py-6 text-center text-small text-dim">{children}</p>
}
