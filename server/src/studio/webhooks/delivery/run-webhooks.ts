import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'

import { MAX_WEBHOOKS } from '@juicebar/contract/limits'

import { startRepeating } from '../../../repeat.ts'
import { type CollectDeps, collectMessages } from '../messages/collect-messages.ts'
import { type DeliveryDeps, deliverMessages, LEASE_SECONDS } from './deliver-messages.ts'
import { leaseWebhooks } from './delivery-store.ts'
import { purgeWebhooks } from './purge-webhooks.ts'

const POLL_MILLIS = 200
const PURGE_MILLIS = 60_000
/** How long a request under way may still take when the server stops. */
const GRACE_MILLIS = 2_000

/**
 * Delivers messages to webhooks on this server: each server takes webhooks that no other server is working on. Each webhook has at most one
 * request under way, so none waits for another.
 * @returns a function that stops it; another server then continues
 */
export function startWebhooks(deps: DeliveryDeps & CollectDeps): () => Promise<void> {
  const { database, failures, poster } = deps
  const stopping = new AbortController()
  const breakingOff = new AbortController()
  setMaxListeners(0, stopping.signal, breakingOff.signal)
  const signals = { signal: stopping.signal, breakOff: breakingOff.signal }
  const running = new Set<Promise<void>>()

  const deliver = (webhookId: string, leaseId: string) => {
    const work = deliverMessages(deps, { webhookId, leaseId }, signals)
      .catch((error: unknown) => failures.failed(error, { webhookId }, 'a webhook could not be served; trying again'))
      .finally(() => running.delete(work))
    running.add(work)
  }
  const poll = async () => {
    if (running.size >= MAX_WEBHOOKS) return
    const leaseId = randomUUID()
    for (const id of await leaseWebhooks(database, leaseId, LEASE_SECONDS, MAX_WEBHOOKS - running.size)) deliver(id, leaseId)
  }
  const collect = async (signal: AbortSignal) => {
    while (!signal.aborted && (await collectMessages(deps)) > 0);
  }

  const stops = [
    startRepeating(collect, { everyMillis: POLL_MILLIS, failures, failure: 'what happened cannot be told to webhooks; trying again' }),
    startRepeating(poll, { everyMillis: POLL_MILLIS, failures, failure: 'webhooks cannot be read; trying again' }),
    startRepeating((signal) => purgeWebhooks(database, signal), {
      everyMillis: PURGE_MILLIS,
      failures,
      failure: 'old messages of webhooks could not be deleted; trying again',
    }),
  ]
  return async () => {
    stopping.abort()
    const timer = setTimeout(() => breakingOff.abort(), GRACE_MILLIS)
    await Promise.all(stops.map((stop) => stop()))
    await Promise.all(running)
    clearTimeout(timer)
    poster.close()
  }
}
