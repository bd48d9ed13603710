import { Failure } from '@juicebar/contract/errors'

/** A place in an order that never changes. */
export interface Place {
  /** From 1, without gaps. */
  ordinal: bigint
  /** When the entry got its place, in microseconds. A database that has lost entries gives their places to others, at a different time. */
  stampedAt: bigint
}

/** Before the first entry. */
export const start: Place = { ordinal: 0n, stampedAt: 0n }

const placeText = /^(\d{1,18})-(\d{1,18})$/

/** A place as replies carry it. */
export function placeCursor({ ordinal, stampedAt }: Place): string {
  return `${ordinal}-${stampedAt}`
}

/**
 * Reads what `placeCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parsePlaceCursor(cursor: string): Place {
  const [, ordinal, stampedAt] = placeText.exec(cursor) ?? []
  if (ordinal === undefined || stampedAt === undefined) throw new Failure('CURSOR_INVALID')
  return { ordinal: BigInt(ordinal), stampedAt: BigInt(stampedAt) }
}

/**
 * Entries behind a place.
 * @param found from that place on, with the entry at it
 * @throws CURSOR_EPOCH if that entry is missing or a different one: the database has gone back behind it
 */
export function entriesAfter<Entry extends Place>(after: Place, found: readonly Entry[]): readonly Entry[] {
  if (after.ordinal === start.ordinal) return found
  const [last, ...others] = found
  if (last?.ordinal !== after.ordinal || last.stampedAt !== after.stampedAt) throw new Failure('CURSOR_EPOCH')
  return others
}
