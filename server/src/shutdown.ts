import { type BaseLogger } from 'pino'

/** After this time the process ends even if not everything has stopped. */
const STOP_MILLIS = 15_000

/** Under npm, Ctrl-C arrives twice: from the terminal and from npm. Only a later signal means "at once". */
const ECHO_MILLIS = 1_000

export interface Shutdown {
  /** Registers a step. Steps run in reverse order of registration, or at once if the shutdown has already begun. */
  onStop(name: string, stop: () => unknown): Promise<void>
  /** Runs all steps once and ends the process with this exit code. */
  end(code: number): Promise<void>
}

/**
 * Shuts the process down on SIGINT, SIGTERM and uncaught errors. A second signal ends it at once: embedded services then stop by
 * themselves and recover at the next start.
 */
export function createShutdown(log: Pick<BaseLogger, 'fatal' | 'error'>): Shutdown {
  const steps: { name: string; stop: () => unknown }[] = []
  let ending: Promise<void> | undefined
  let endingSince = 0

  const run = async ({ name, stop }: { name: string; stop: () => unknown }) => {
    try {
      await stop()
    } catch (error) {
      log.error({ err: error }, `${name} could not be stopped cleanly`)
    }
  }
  const stopAll = async (code: number) => {
    setTimeout(() => process.exit(code || 1), STOP_MILLIS).unref()
    for (let step = steps.pop(); step; step = steps.pop()) await run(step)
    process.exit(code)
  }
  const end = (code: number) => (ending ??= stopAll(code))

  const onSignal = (signal: NodeJS.Signals) => {
    if (!ending) {
      endingSince = Date.now()
      void end(0)
    } else if (Date.now() - endingSince > ECHO_MILLIS) process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an uncaught error ends the server')
    void end(1)
  })

  return {
    end,
    onStop: async (name, stop) => {
      if (ending) await run({ name, stop })
      else steps.push({ name, stop })
    },
  }
}
