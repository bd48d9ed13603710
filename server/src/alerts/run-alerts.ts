import { setMaxListeners } from 'node:events'
import { type BaseLogger } from 'pino'

import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { type Poster } from '../outgoing/post-message.ts'
import { type EventFeed } from '../realtime/poll-outbox.ts'
import { type FailureLog } from '../runtime/outage.ts'
import { startRepeating } from '../runtime/repeat.ts'
import { fireAlerts, pushSales } from './alert-store.ts'
import { deleteGone, deletePush, dropPush, type LeasedPush, leasePushes, purgePushes } from './push-store.ts'
import { afterPush, pushMessage, pushRequest } from './push.ts'
import { createPushKeys } from './record-alert.ts'

export interface PushDeps {
  database: Database
  catalogue: Pick<Catalogue, 'item'>
  poster: Poster
  /** The contact for push services, as a URL. */
  contact: string
  log: Pick<BaseLogger, 'warn'>
  failures: FailureLog
}

/**
 * Sends a leased push to its browser's push service. A failed push is retried according to its lease. A push that was accepted but could
 * not be recorded is sent again with the same tag, so that it is shown once.
 * @param signal aborts it
 */
async function sendPush({ database, catalogue, poster, contact, log }: PushDeps, push: LeasedPush, signal: AbortSignal): Promise<void> {
  const message = pushMessage(push, catalogue)
  if (!message) return deletePush(database, push)
  const keys = await createPushKeys(database)
  const outcome = await poster.post(pushRequest(push, { message, seconds: push.secondsLeft }, { keys, contact }), signal)
  if (!outcome) return
  const next = afterPush(outcome)
  // Its path is the browser's secret.
  const fields = { pushService: new URL(push.endpoint).host, status: outcome.status, reason: outcome.error }
  if (next === 'gone') await deleteGone(database, push)
  else if (next === 'refused') await dropPush(database, push)
  else if (next !== 'retry') await deletePush(database, push)
  if (next === 'refused') log.warn(fields, 'a push service refuses a push; it is not sent again')
  if (next === 'retry') log.warn(fields, 'a push service does not take a push; trying again')
}

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

/** How often a server checks whether it has learned of an offer. */
const CHECK_MILLIS = 100
/** How often it checks anyway, for offers that no event announces, such as those of a seller who is no longer frozen. */
const ANYWAY_MILLIS = 5_000
const SALES_MILLIS = 1_000
/** Of one short statement: alerts that fire, or sales. */
const AT_ONCE = 500

export interface AlertDeps {
  database: Database
  feed: Pick<EventFeed, 'subscribe'>
  failures: FailureLog
}

/** Events that may put a cheaper price on the market. */
const offers: ReadonlySet<string> = new Set(['listing.created', 'listing.changed', 'listing.released'])

/**
 * Fires alerts as soon as this server learns of an offer, and queues pushes of sales. The market at that moment decides, so nothing is
 * missed if a server is killed: the next server to check finds the same price. Every server does this.
 * @returns a function that stops it
 */
export function startAlerts({ database, feed, failures }: AlertDeps): () => Promise<void> {
  let isDue = true
  let firedAt = Number.NEGATIVE_INFINITY
  const unsubscribe = feed.subscribe({
    onEvents: (events) => void (isDue ||= events.some(({ type }) => offers.has(type))),
    onReset: () => void (isDue = true),
  })
  const fire = async (signal: AbortSignal) => {
    if (!isDue && performance.now() - firedAt < ANYWAY_MILLIS) return
    // An offer that arrives from now on may be too late for the statement under way.
    isDue = false
    firedAt = performance.now()
    try {
      while ((await fireAlerts(database, AT_ONCE)) === AT_ONCE && !signal.aborted);
    } catch (error) {
      isDue = true
      throw error
    }
  }
  const tellOfSales = async (signal: AbortSignal) => {
    while (!signal.aborted && (await pushSales(database, AT_ONCE)) > 0);
  }
  const stops = [
    startRepeating(fire, { everyMillis: CHECK_MILLIS, failures, failure: 'alerts cannot be fired; trying again' }),
    startRepeating(tellOfSales, { everyMillis: SALES_MILLIS, failures, failure: 'sales cannot be told to their sellers; trying again' }),
  ]
  return async () => {
    unsubscribe()
    await Promise.all(stops.map((stop) => stop()))
  }
}
