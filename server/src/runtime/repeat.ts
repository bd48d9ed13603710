import { setTimeout as sleep } from 'node:timers/promises'
import { type FailureLog } from './outage.ts'

const PURGE_MILLIS = 10 * 60_000

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

/** Work that a server does again and again, for as long as it runs. */
export interface Job {
  /** In the log. */
  name: string
  everyMillis: number
  /** The log message for an unexpected failure, logged once for a series of failures. */
  failure: string
  run: (signal: AbortSignal) => Promise<unknown>
}

/**
 * Starts jobs, each in its own rhythm.
 * @returns a function that stops them and resolves when what is under way is done
 */
export function startJobs(jobs: readonly Job[], failures: Repetition['failures']): () => Promise<void> {
  const stops = jobs.map(({ name, run, everyMillis, failure }) => {
    const failed: FailureLog['failed'] = (error, fields, message) => failures.failed(error, { job: name, ...fields }, message)
    return startRepeating(run, { everyMillis, failures: { outageOf: failures.outageOf, failed }, failure })
  })
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

/** A job that deletes what is too old, every ten minutes, but not while a server starts. The next time makes up for one that fails. */
export function purging(name: string, what: string, purge: () => Promise<unknown>): Job {
  const run = async (signal: AbortSignal) => {
    await delay(PURGE_MILLIS, signal)
    if (!signal.aborted) await purge()
  }
  return { name, everyMillis: 0, failure: `${what} could not be deleted; trying again`, run }
}

/** Waits this many milliseconds; ends early, without an error, when the signal aborts. */
export async function delay(millis: number, signal: AbortSignal, { ref = true }: { ref?: boolean } = {}): Promise<void> {
  await sleep(millis, undefined, { signal, ref }).catch(() => undefined)
}
