/** One attempt at something that works as long as nothing fails. */
export interface Probe {
  /** Unix milliseconds, as the next. */
  startedAt: number
  /** Infinity while it is under way. */
  endedAt: number
  /** Why it failed; undefined if it did not. */
  failure: string | undefined
}

export interface Probing {
  probes: readonly Probe[]
  /** Resolves when the attempts under way have ended. */
  stop(): Promise<void>
}

const EVERY_MILLIS = 250

/**
 * Tries again and again, without waiting for attempts that hang.
 * @param attempt returns why it failed; undefined if it worked
 */
export function startProbing(attempt: () => Promise<string | undefined>): Probing {
  const probes: Probe[] = []
  const underWay = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const probe = tryOnce()
    underWay.add(probe)
    void probe.finally(() => underWay.delete(probe))
  }, EVERY_MILLIS)

  async function tryOnce(): Promise<void> {
    const probe: Probe = { startedAt: Date.now(), endedAt: Number.POSITIVE_INFINITY, failure: undefined }
    probes.push(probe)
    probe.failure = await attempt().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
    probe.endedAt = Date.now()
  }

  return {
    probes,
    stop: async () => {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}
