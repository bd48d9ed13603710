import { setTimeout as delay } from 'node:timers/promises'

import { type BaseLogger } from 'pino'

/** A program of ours that runs beside this process. */
export interface Part {
  /** Settles when the program has ended, for whatever reason. */
  ended: Promise<void>
  /** Ends the program and waits for its end. */
  stop(): Promise<void>
}

interface Options {
  /** As the log calls it. */
  name: string
  start(): Promise<Part>
  onRestart?(): void
  log: Pick<BaseLogger, 'warn' | 'error'>
}

const PAUSE_MILLIS = { least: 200, most: 10_000 }

/** Starts a part again whenever it ends, with growing pauses, until the returned function is called: it stops it for good. */
export function keepRunning(first: Part, options: Options): () => Promise<void> {
  const stopping = new AbortController()
  let part = first
  const watched = watch()

  async function watch(): Promise<void> {
    for (;;) {
      await part.ended
      if (stopping.signal.aborted) return
      options.log.error(`${options.name} ended unexpectedly and is started again`)
      const next = await startAgain(options, stopping.signal)
      if (next === undefined) return
      part = next
      options.onRestart?.()
    }
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await part.stop()
    await watched
    await part.stop()
  }

  let stopped: Promise<void> | undefined
  return () => (stopped ??= stop())
}

async function startAgain(options: Options, stopping: AbortSignal): Promise<Part | undefined> {
  for (let pause = PAUSE_MILLIS.least; !stopping.aborted; pause = Math.min(pause * 2, PAUSE_MILLIS.most)) {
    await delay(pause, undefined, { signal: stopping, ref: false }).catch(() => undefined)
    if (stopping.aborted) break
    try {
      const part = await options.start()
      options.log.warn(`${options.name} runs again`)
      return part
    } catch (error) {
      options.log.error({ err: error }, `${options.name} could not be started again`)
    }
  }
  return undefined
}
