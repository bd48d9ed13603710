import { type BaseLogger } from 'pino'

/** After this time, and the drain, the process ends even if not everything has stopped: calls under way take at most 15 s of it. */
const STOP_MILLIS = 20_000

/** Under npm, Ctrl-C arrives twice: from the terminal and from npm. Only a later signal means "at once". */
const ECHO_MILLIS = 1_000

export interface Stopping {
  /** Whether there is time to send callers elsewhere first. */
  drain: boolean
}

export interface Shutdown {
  /** Aborted as soon as the shutdown begins. */
  signal: AbortSignal
  /**
   * Registers a step. Steps run in reverse order of registration.
   * @throws if the shutdown has already begun, once the step has run: whatever is being started must go no further
   */
  onStop(name: string, stop: (how: Stopping) => unknown): Promise<void>
  /** Runs all steps once and ends the process with this exit code. */
  end(code: number): Promise<void>
}

interface ShutdownOptions {
  log: Pick<BaseLogger, 'fatal' | 'error'>
  /** How long the steps may drain. */
  drainSeconds: number
}

/**
 * Shuts the process down on SIGTERM, after a drain; on SIGINT, which is a person's Ctrl-C, and uncaught errors without one. A second
 * signal ends it at once: embedded services then stop by themselves and recover at the next start.
 */
export function createShutdown({ log, drainSeconds }: ShutdownOptions): Shutdown {
  const steps: { name: string; stop: (how: Stopping) => unknown }[] = []
  const begun = new AbortController()
  let ending: Promise<void> | undefined
  let endingSince = 0

  const run = async ({ name, stop }: (typeof steps)[number], how: Stopping) => {
    try {
      await stop(how)
    } catch (error) {
      log.error({ err: error }, `${name} could not be stopped cleanly`)
    }
  }
  const stopAll = async (code: number, how: Stopping) => {
    begun.abort()
    setTimeout(() => process.exit(code || 1), STOP_MILLIS + (how.drain ? drainSeconds * 1_000 : 0)).unref()
    for (let step = steps.pop(); step; step = steps.pop()) await run(step, how)
    process.exit(code)
  }
  const end = (code: number, how = { drain: false }) => (ending ??= stopAll(code, how))

  const onSignal = (signal: NodeJS.Signals) => {
    if (!ending) {
      endingSince = Date.now()
      void end(0, { drain: signal === 'SIGTERM' })
    } else if (Date.now() - endingSince > ECHO_MILLIS) process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an uncaught error ends the server')
    void end(1)
  })

  return {
    signal: begun.signal,
    end,
    onStop: async (name, stop) => {
      if (!ending) return void steps.push({ name, stop })
      await run({ name, stop }, { drain: false })
      begun.signal.throwIfAborted()
    },
  }
}
