import { sql } from 'kysely'

/** The database's clock, which decides when a payment window closes and when something is due. */
export const now = sql<Date>`now()`

/** A time from now, in whole milliseconds, as JavaScript reads it back: a lease is recognised by its exact time. */
export const inSeconds = (seconds: number) => sql<Date>`date_trunc('milliseconds', now() + make_interval(secs => ${seconds}))`
