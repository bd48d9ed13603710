import { LAMPORTS_PER_SOL } from '@juicebar/contract/money'
import { type ReactNode, useEffect, useState } from 'react'

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

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })

const hour = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' })

/** A UTC date as "31 Jan". */
export function shortDay(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`))
}

/** A UTC date as "Thursday, 31 January". */
export function longDay(date: string): string {
  return weekday.format(new Date(`${date}T00:00:00Z`))
}

/** A moment of the last few days in the browser's time zone, as "Thu, 14:00". */
export function hourOfDay(moment: string): string {
  return hour.format(new Date(moment))
}

/** How long something has lasted: "under a minute", "12 min", "3 h", "4 days". */
export function howLong(since: string, now: number): string {
  const age = now - Date.parse(since)
  if (age < MINUTE_MS) return 'under a minute'
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`
  if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h`
  return `${Math.floor(age / DAY_MS)} days`
}

const wholeNumber = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const SOL_DIGITS = 9

/** Lamports as SOL, exactly and with thousands set apart: 1234500000000n is "1,234.5". */
export function exactSol(lamports: bigint): string {
  const fraction = (lamports % LAMPORTS_PER_SOL).toString().padStart(SOL_DIGITS, '0').replace(/0+$/, '')
  const whole = wholeNumber.format(lamports / LAMPORTS_PER_SOL)
  return fraction ? `${whole}.${fraction}` : whole
}

/** The same with at most three decimals, for a figure that is looked at: what is less than that is "<0.001". */
export function roughSol(lamports: bigint): string {
  const thousandth = LAMPORTS_PER_SOL / 1_000n
  if (lamports > 0n && lamports < thousandth) return '<0.001'
  return exactSol(lamports - (lamports % thousandth))
}

const TICK_MS = 15_000

/** @returns the time in milliseconds, as fine as "3 min" needs it */
export function useClock(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
