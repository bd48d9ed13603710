import { setTimeout as delay } from 'node:timers/promises'

/** The servers that a load balancer would send calls to. */
export interface ReadyServers {
  /** All servers, if none is ready. */
  urls(): readonly string[]
  stop(): void
}

const POLL_MILLIS = 300
const TIMEOUT_MILLIS = 1_000

/** Asks each server again and again whether it is ready. */
export function watchReadiness(all: readonly string[]): ReadyServers {
  const ready = new Set(all)
  const stopping = new AbortController()
  for (const url of all) void watch(url)

  async function watch(url: string): Promise<void> {
    while (!stopping.signal.aborted) {
      if (await isReady(url)) ready.add(url)
      else ready.delete(url)
      await delay(POLL_MILLIS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  return { urls: () => (ready.size > 0 ? all.filter((url) => ready.has(url)) : all), stop: () => stopping.abort() }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(TIMEOUT_MILLIS) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
