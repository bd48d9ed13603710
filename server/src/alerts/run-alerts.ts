import { type Database } from '../database/connect.ts'
import { type FailureLog } from '../runtime/outage.ts'
import { type EventFeed } from '../realtime/poll-outbox.ts'
import { startRepeating } from '../runtime/repeat.ts'
import { fireAlerts, pushSales } from './alert-store.ts'

/** How often a server checks whether it has learned of an offer. */
const CHECK_MILLIS = 100
/** How often it checks anyway, for offers that no event announces, such as those of a seller who is no longer frozen. */
const ANYWAY_MILLIS = 5_000
const SALES_MILLIS = 1_000
/** Of one short statement: alerts that fire, or sales. */
const AT_ONCE = 500

interface AlertDeps {
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
