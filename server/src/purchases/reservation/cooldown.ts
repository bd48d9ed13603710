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

/**
 * Until when a wallet may not pay again: for 10 minutes after the third payment within an hour that the chain refused, or that expired while
 * the wallet lacked the SOL for it. Undefined if there were fewer.
 */
export function failureCooldownUntil(failed: readonly Date[]): Date | undefined {
  const times = failed.map((at) => at.getTime()).toSorted((a, b) => b - a)
  const [last, third] = [times[0], times[TOO_OFTEN - 1]]
  return last !== undefined && third !== undefined && third > last - HOUR ? new Date(last + FIRST_COOLDOWN) : undefined
}
