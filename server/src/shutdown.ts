import { type BaseLogger } from 'pino'

/** Stopping may take this long before the process ends all the same. */
const STOP_MILLIS = 15_000

/** Ctrl-C under npm arrives twice, from the terminal and from npm; only a person's second one means "at once". */
const ECHO_MILLIS = 1_000

export interface Shutdown {
  /** Registers what has to be stopped, the last one first. Runs at once where the end has already begun. */
  onStop(name: string, stop: () => unknown): Promise<void>
  /** Stops everything, once, and ends the process with this code. */
  end(code: number): Promise<void>
}

/**
 * Ends the process in order: at SIGINT, SIGTERM and errors that nobody caught. A second signal ends it at once; whatever is
 * embedded follows by itself and recovers at the next start.
 */
export function createShutdown(log: Pick<BaseLogger, 'fatal' | 'error'>): Shutdown {
  const steps: { name: string; stop: () => unknown }[] = []
  let ending: Promise<void> | undefined
  let endingSince = 0

  const run = async ({ name, stop }: { name: string; stop: () => unknown }) => {
    try {
      await stop()
    } catch (error) {
      log.error({ err: error }, `${name} did not stop as it should`)
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
    log.fatal({ err: error }, 'an error that nobody caught ends the server')
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
