import { setMaxListeners } from 'node:events'

import { startRepeating } from '../../repeat.ts'
import { leasePushes, purgePushes } from './push-store.ts'
import { type PushDeps, sendPush } from './send-push.ts'

const POLL_MILLIS = 500
const PURGE_MILLIS = 60_000
/** Requests under way at the same time, each to another browser. */
const MAX_RUNNING = 50
/** How long a request under way may still take when the server stops. */
const GRACE_MILLIS = 2_000

/**
 * Sends pushes to players' browsers from this server: each server takes those that no other server is working on. Each browser has at most
 * one request under way, so a push service that does not answer occupies few slots.
 * @returns a function that stops it; another server then continues
 */
export function startPushes(deps: PushDeps): () => Promise<void> {
  const { database, failures, poster } = deps
  const breakingOff = new AbortController()
  setMaxListeners(0, breakingOff.signal)
  const running = new Set<Promise<void>>()

  const poll = async (signal: AbortSignal) => {
    for (let more = true; more && !signal.aborted && running.size < MAX_RUNNING;) {
      const free = MAX_RUNNING - running.size
      const pushes = await leasePushes(database, free)
      for (const push of pushes) {
        const work = sendPush(deps, push, breakingOff.signal)
          .catch((error: unknown) => failures.failed(error, {}, 'a push could not be sent; trying again'))
          .finally(() => running.delete(work))
        running.add(work)
      }
      more = pushes.length === free
    }
  }
  const stops = [
    startRepeating(poll, { everyMillis: POLL_MILLIS, failures, failure: 'pushes cannot be read; trying again' }),
    startRepeating(() => purgePushes(database), {
      everyMillis: PURGE_MILLIS,
      failures,
      failure: 'old pushes could not be deleted; trying again',
    }),
  ]
  return async () => {
    const timer = setTimeout(() => breakingOff.abort(), GRACE_MILLIS)
    await Promise.all(stops.map((stop) => stop()))
    await Promise.all(running)
    clearTimeout(timer)
    poster.close()
  }
}
