import { sql } from 'kysely'

/** The database's clock, which decides what is over and what is due. */
export const now = sql<Date>`now()`

/** In whole milliseconds, as JavaScript reads it back: a claim is recognised by its time. */
export const inSeconds = (seconds: number) => sql<Date>`date_trunc('milliseconds', now() + make_interval(secs => ${seconds}))`
