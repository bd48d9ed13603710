import { LAMPORTS_PER_SOL, lamportsToSol } from '@juicebar/contract/money'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type Reply } from '@juicebar/contract/calls'
import { figureEndpoints } from '@juicebar/contract/endpoints/figures'
import { MAX_LEDGER_PAGE } from '@juicebar/contract/limits'

import { errorSentence } from '../../../api/api-error.ts'
import { callEndpoint } from '../../../api/client.ts'
import { type EventListener, eventListeners } from '../../../api/queries.ts'
import { MINE } from '../../../api/query-client.ts'
import { retryPassing } from '../../../api/retry-passing.ts'
import { catalogue, inMarketWords } from '../../../catalogue/catalogue.ts'
import { Button } from '../../../ui/button.tsx'
import { formatAmount, formatSol } from '../../../ui/format.ts'
import { Loading } from '../../../ui/loading.tsx'
import { csvLine, saveCsv } from '../csv.ts'

/** What the player has earned with each drink, and the rules of the calculation. */
export function ProfitView() {
  const { data: profit, isError, refetch } = useQuery(profitQuery)
  useEffect(() => {
    eventListeners.add(followProfit)
    return () => void eventListeners.delete(followProfit)
  }, [])
  if (!profit) return <Loading failed={isError} what="Your profit" onRetry={() => void refetch()} />
  if (profit.drinks.length === 0) {
    return (
      <p className="card p-6 text-center text-dim">Nothing yet. What you buy, sell, are credited and use in the game is counted here.</p>
    )
  }
  return (
    <div className="grid gap-3">
      {!profit.complete && (
        <p role="status" className="text-small text-warn">
          Some of your sales are still being counted. Look again in a moment.
        </p>
      )}
      {isError && (
        <p role="status" className="text-small text-warn">
          This could not be updated. Trying again.
        </p>
      )}
      <div className="card divide-y divide-line">
        <Total drinks={profit.drinks} />
        <ul className="divide-y divide-line">
          {profit.drinks.map((drink) => (
            <DrinkProfitRow key={drink.tokenType} drink={drink} />
          ))}
        </ul>
      </div>
      <DownloadLedger />
      <p className="max-w-prose text-tiny text-dim">
        {inMarketWords(
          'First in, first out: the drinks you have had longest leave first. Drinks that you bought cost what you paid, with the studio’s ' +
            'fee; drinks that were credited cost nothing. Drinks used in the game leave at their cost, as neither a gain nor a loss. The ' +
            'network’s own fees are not counted.',
        )}
      </p>
    </div>
  )
}

function Total({ drinks }: { drinks: readonly DrinkProfit[] }) {
  const total = drinks.reduce((sum, { sold }) => sum + BigInt(sold.profit), 0n)
  return (
    <p className="figures flex flex-wrap items-baseline justify-between gap-x-4 px-4 py-3 sm:px-5">
      <span className="font-semibold">Profit from sales</span>
      <span className="text-lead font-bold">{signedSol(total)}</span>
    </p>
  )
}

/** One drink: its profit, its cost, and where the rest went. */
function DrinkProfitRow({ drink }: { drink: DrinkProfit }) {
  const { tokenType, bought, credited, sold, used, lost, held } = drink
  return (
    <li className="figures grid gap-3 px-4 py-4 text-small sm:px-5" data-token={tokenType}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="flex items-center gap-2.5 font-sans text-small font-semibold tracking-normal">
          <span className="dot" />
          {catalogue().nameOf(tokenType)}
        </h3>
        <p className="font-bold">{signedSol(BigInt(sold.profit))}</p>
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
        <Part name="Bought" amount={bought.amount}>
          for {solOf(bought.basis)}
          {bought.fee !== '0' && `, with ${solOf(bought.fee)} fees`}
        </Part>
        <Part name="Credited" amount={credited.amount}>
          cost 0 SOL
        </Part>
        <Part name="Sold" amount={sold.amount}>
          for {solOf(sold.lamports)}, cost {solOf(sold.basis)}
        </Part>
        <Part name="Used in the game" amount={used.amount}>
          cost {solOf(used.basis)}
        </Part>
        <Part name="Held" amount={held.amount}>
          cost {solOf(held.basis)}
        </Part>
        {lost.amount > 0 && (
          <Part name="Delivered unpaid" amount={lost.amount}>
            cost {solOf(lost.basis)}: the network undid the payment
          </Part>
        )}
      </dl>
    </li>
  )
}

function Part({ name, amount, children }: { name: string; amount: number; children: ReactNode }) {
  return (
    <div>
      <dt className="text-tiny text-dim">{name}</dt>
      <dd>
        <span className="font-semibold">{formatAmount(amount)}</span>
        {amount > 0 && <span className="block text-tiny text-dim">{children}</span>}
      </dd>
    </div>
  )
}

/** Lamports of a reply as SOL: "1234500000" becomes "1.2345 SOL". */
export function solOf(lamports: string): string {
  return `${formatSol(lamportsToSol(BigInt(lamports)))} SOL`
}

/** A gain or a loss as SOL with its sign: "−0.01 SOL". */
export function signedSol(lamports: bigint): string {
  const sign = lamports > 0n ? '+' : lamports < 0n ? '−' : ''
  return `${sign}${formatSol(lamportsToSol(lamports < 0n ? -lamports : lamports))} SOL`
}

/** Saves the whole ledger as a file, and shows its progress, a way to stop it, and a way to continue after a failure. */
function DownloadLedger() {
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
const profitQuery = queryOptions({
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
const followProfit: EventListener = ({ type }, reloads) => {
  if (changes.has(type)) reloads.add(PROFIT)
}
