import { setTimeout as sleep } from 'node:timers/promises'
import { type FailureLog } from './outage.ts'

interface Repetition {
  /** Between the end of one attempt and the next. */
  everyMillis: number
  signal: AbortSignal
  failures: Pick<FailureLog, 'failed' | 'outageOf'>
  /** The log message for an unexpected failure, logged once for a series of failures. */
  failure: string
}

/** Repeats the work, whether or not it fails, until the signal aborts. */
export async function repeat(work: () => Promise<unknown>, { everyMillis, signal, failures, failure }: Repetition): Promise<void> {
  let failing = false
  while (!signal.aborted) {
    try {
      await work()
      failing = false
    } catch (error) {
      if (signal.aborted) return
      if (!failing || failures.outageOf(error)) failures.failed(error, {}, failure)
      failing = true
    }
    await delay(everyMillis, signal)
  }
}

/**
 * Starts to repeat the work.
 * @returns a function that stops it and resolves when the attempt under way is done
 */
export function startRepeating(
  work: (signal: AbortSignal) => Promise<unknown>,
  repetition: Omit<Repetition, 'signal'>,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = repeat(() => work(signal), { ...repetition, signal })
  return async () => {
    stopping.abort()
    await running
  }
}

/** Waits this many milliseconds; ends early, without an error, when the signal aborts. */
export async function delay(millis: number, signal: AbortSignal, { ref = true }: { ref?: boolean } = {}): Promise<void> {
  await sleep(millis, undefined, { signal, ref }).catch(() => undefined)
}
