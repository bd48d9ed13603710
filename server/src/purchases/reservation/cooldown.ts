/** A purchase that its buyer left unpaid. */
export interface Abandonment {
  at: Date
  /** Its listings, and those that they were parts of. */
  listingIds: readonly string[]
}

/** As the database tells it: `abandonments` in functions/reservations.sql. */
export interface AbandonmentRow {
  at: string
  listingIds: string[]
}

export function readAbandonments(rows: readonly AbandonmentRow[]): Abandonment[] {
  return rows.map(({ at, listingIds }) => ({ at: new Date(at), listingIds }))
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const FIRST_COOLDOWN = 10 * MINUTE
/** No more fit into a day. */
const MOST_COUNTED = 9
const TOO_OFTEN = 3

/**
 * Until when a wallet may not reserve a listing again, or a part of it: for 10 minutes after the second purchase of it that the wallet
 * abandons within 24 hours, doubled by each further one. Undefined if it has abandoned fewer.
 */
export function cooldownUntil(abandoned: readonly Abandonment[], listingId: string): Date | undefined {
  const times = abandoned.filter(({ listingIds }) => listingIds.includes(listingId)).map(({ at }) => at.getTime())
  const last = Math.max(...times)
  const count = Math.min(times.filter((time) => time > last - 24 * HOUR).length, MOST_COUNTED)
  return count < 2 ? undefined : new Date(last + FIRST_COOLDOWN * 2 ** (count - 2))
}

/** Whether a wallet has abandoned three purchases within an hour: then it may have one item under way. */
export function abandonsTooOften(abandoned: readonly Abandonment[], now: Date): boolean {
  return abandoned.filter(({ at }) => at.getTime() > now.getTime() - HOUR).length >= TOO_OFTEN
}
