import { useEffect, useRef, useState } from 'react'

import { errorSentence } from '../../../api/api-error.ts'
import { retryPassing } from '../../../api/retry-passing.ts'
import { saveCsv } from '../save-csv.ts'
import { ledgerHead, ledgerLines } from './ledger-csv.ts'
import { readLedger } from './profit-query.ts'

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
export function useDownloadLedger() {
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
