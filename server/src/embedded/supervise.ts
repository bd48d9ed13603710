import { type BaseLogger } from 'pino'
import { delay } from '../runtime/repeat.ts'

/** A child process that the server runs for itself. */
export interface ChildService {
  /** Resolves when the process has ended, for whatever reason. */
  ended: Promise<void>
  /** Stops the process and waits for its end. */
  stop(): Promise<void>
}

interface Options {
  /** The service's name in log lines. */
  name: string
  start(): Promise<ChildService>
  onRestart?(): void
  log: Pick<BaseLogger, 'warn' | 'error'>
}

const BACKOFF_MILLIS = { first: 200, longest: 10_000 }

/**
 * Restarts a service whenever it ends, with exponential backoff.
 * @returns the function that stops the service for good
 */
export function supervise(running: ChildService, options: Options): () => Promise<void> {
  const stopping = new AbortController()
  let service = running
  const watched = watch()

  async function watch(): Promise<void> {
    for (;;) {
      await service.ended
      if (stopping.signal.aborted) return
      options.log.error(`${options.name} ended unexpectedly; restarting it`)
      const next = await restart(options, stopping.signal)
      if (next === undefined) return
      service = next
      options.onRestart?.()
    }
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await service.stop()
    await watched
    await service.stop()
  }

  let stopped: Promise<void> | undefined
  return () => (stopped ??= stop())
}

async function restart(options: Options, stopping: AbortSignal): Promise<ChildService | undefined> {
  for (let millis = BACKOFF_MILLIS.first; !stopping.aborted; millis = Math.min(millis * 2, BACKOFF_MILLIS.longest)) {
    await delay(millis, stopping, { ref: false })
    if (stopping.aborted) break
    try {
      const service = await options.start()
      options.log.warn(`${options.name} is running again`)
      return service
    } catch (error) {
      options.log.error({ err: error }, `${options.name} could not be restarted`)
    }
  }
  return undefined
}
