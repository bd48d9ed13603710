import { setTimeout as sleep } from 'node:timers/promises'

import { type BaseLogger } from 'pino'

interface Repetition {
  /** Between the end of one attempt and the next. */
  everyMillis: number
  signal: AbortSignal
  log: Pick<BaseLogger, 'warn'>
  /** What is logged when it fails, once for a series of failures. */
  failure: string
}

/** Repeats the work, whether or not it fails, until the signal aborts. */
export async function repeat(work: () => Promise<unknown>, { everyMillis, signal, log, failure }: Repetition): Promise<void> {
  let failed = false
  while (!signal.aborted) {
    try {
      await work()
      failed = false
    } catch (error) {
      if (!failed) log.warn({ err: error }, failure)
      failed = true
    }
    await pause(everyMillis, signal)
  }
}

/** Waits so many milliseconds; ends early when the signal aborts, which is no error. */
export async function pause(millis: number, signal: AbortSignal, { ref = true }: { ref?: boolean } = {}): Promise<void> {
  await sleep(millis, undefined, { signal, ref }).catch(() => undefined)
}
