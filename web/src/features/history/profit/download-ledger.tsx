import { type Reply } from '@juicebar/contract/calls'
import { figureEndpoints } from '@juicebar/contract/endpoints/figures'
import { MAX_LEDGER_PAGE } from '@juicebar/contract/limits'
import { LAMPORTS_PER_SOL } from '@juicebar/contract/money'
import { queryOptions } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

import { errorSentence } from '../../../api/api-error.ts'
import { callEndpoint } from '../../../api/client.ts'
import { type EventListener } from '../../../api/queries.ts'
import { MINE } from '../../../api/query-client.ts'
import { retryPassing } from '../../../api/retry-passing.ts'
import { catalogue } from '../../../catalogue/catalogue.ts'
import { Button } from '../../../ui/button.tsx'
import { formatAmount } from '../../../ui/format.ts'
import { csvLine, saveCsv } from '../csv.ts'

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

/** How long to retry a page before the download stops, in milliseconds. */
const PATIENCE_MS = 30_000

/** The entries collected so far. They are kept when the download stops, so that it can continue. */
interface Collected {
  lines: string[]
  count: number
  cursor: string
}

type Progress = { phase: 'idle' } | { phase: 'running' | 'failed'; count: number; reason?: string }

/** Saves everything that the player received and gave as a CSV file, page by page, however much that is. */
function useDownloadLedger() {
  const [progress, setProgress] = useState<Progress>({ phase: 'idle' })
  const collected = useRef<Collected>(undefined)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const start = () => {
    const { signal } = (running.current = new AbortController())
    const part = (collected.current ??= { lines: [ledgerHead], count: 0, cursor: '' })
    const tell = (count: number) => !signal.aborted && setProgress({ phase: 'running', count })
    tell(part.count)
    collect(part, signal, tell).then(
      () => {
        collected.current = undefined
        saveCsv('juicebar-ledger.csv', part.lines)
        setProgress({ phase: 'idle' })
      },
      (error: unknown) => {
        if (!signal.aborted) setProgress({ phase: 'failed', count: part.count, reason: errorSentence(error, 'It could not be loaded.') })
      },
    )
  }
  return {
    progress,
    /** Starts, or continues where it stopped. */
    start,
    /** Stops, and discards the collected entries. */
    cancel: () => {
      running.current?.abort()
      collected.current = undefined
      setProgress({ phase: 'idle' })
    },
  }
}

/** Adds all remaining pages. */
async function collect(part: Collected, signal: AbortSignal, tell: (count: number) => void): Promise<void> {
  for (let next: string | null = part.cursor; next !== null;) {
    const cursor: string = next
    const { entries, nextCursor } = await retryPassing(() => readLedger(cursor, signal), PATIENCE_MS)
    signal.throwIfAborted()
    part.lines.push(ledgerLines(entries))
    part.count += entries.length
    part.cursor = nextCursor ?? ''
    next = nextCursor
    tell(part.count)
  }
}

/** The header row of a ledger's file. */
export const ledgerHead = csvLine(['time', 'kind', 'item', 'amount', 'SOL', 'fee', 'signature', 'counterparty', 'note', 'id'])

/**
 * Entries as lines of comma-separated values (RFC 4180), each with its line ending. Times are ISO 8601 in UTC. SOL is what the seller
 * received, and the fee what the buyer paid the studio on top; both have all nine decimals.
 */
export function ledgerLines(entries: readonly LedgerEntry[]): string {
  return entries.map(lineOf).join('')
}

function lineOf({ at, kind, tokenType, amount, lamports, feeLamports, signature, counterparty, undone, id }: LedgerEntry): string {
  const note = undone ? 'the network undid the payment: delivered unpaid' : ''
  return csvLine([
    at,
    kind,
    catalogue().nameOf(tokenType),
    amount,
    nineDecimals(lamports),
    nineDecimals(feeLamports),
    signature,
    counterparty ?? 'studio',
    note,
    id,
  ])
}

const SOL_DECIMALS = 9

function nineDecimals(lamports: string): string {
  const value = BigInt(lamports)
  return `${value / LAMPORTS_PER_SOL}.${(value % LAMPORTS_PER_SOL).toString().padStart(SOL_DECIMALS, '0')}`
}

export type DrinkProfit = Reply<'profit'>['drinks'][number]
type LedgerPage = Reply<'myLedger'>
export type LedgerEntry = LedgerPage['entries'][number]

const PROFIT = [MINE, 'profit']

/** What the signed-in player has earned with each drink. */
export const profitQuery = queryOptions({
  queryKey: PROFIT,
  queryFn: ({ signal }) => callEndpoint<Reply<'profit'>>(figureEndpoints.profit, { signal }),
  // No changes are announced while it is not shown.
  staleTime: 0,
})

/** A long page of everything that the signed-in player received and gave, oldest first. */
function readLedger(cursor: string, signal: AbortSignal): Promise<LedgerPage> {
  return callEndpoint(figureEndpoints.myLedger, { query: { limit: MAX_LEDGER_PAGE, cursor }, signal })
}

const changes = new Set(['purchase.changed', 'balance.changed', 'case.changed'])

/** Marks the profit as stale when the player has bought, sold, been credited or used something, and when a payment was undone. */
export const followProfit: EventListener = ({ type }, reloads) => {
  if (changes.has(type)) reloads.add(PROFIT)
}
