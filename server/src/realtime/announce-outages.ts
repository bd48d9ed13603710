import { type EventReaders } from './broadcast-events.ts'
import { renderOutage } from './event-frame.ts'
import { type EventFeed } from './poll-outbox.ts'

const CHECK_MILLIS = 500
/** The outbox is read several times a second. A read that takes longer than this, or fails for as long, is an outage. */
const OUTAGE_SECONDS = 3
/** For readers who connected in the meantime. */
const REPEAT_SECONDS = 15

/**
 * Tells every stream when changes no longer arrive because the database is down, and when they do again.
 * @returns a function that stops it
 */
export function startAnnouncingOutages(feed: Pick<EventFeed, 'age'>, readers: Pick<EventReaders, 'sendAll'>): () => void {
  let announcedAge: number | undefined
  const timer = setInterval(() => {
    const age = Math.floor(feed.age())
    if (age >= OUTAGE_SECONDS) {
      if (announcedAge !== undefined && age < announcedAge + REPEAT_SECONDS) return
      announcedAge = age
      readers.sendAll(renderOutage({ type: 'outage.began', age }))
    } else if (announcedAge !== undefined) {
      announcedAge = undefined
      readers.sendAll(renderOutage({ type: 'outage.ended' }))
    }
  }, CHECK_MILLIS).unref()
  return () => clearInterval(timer)
}
