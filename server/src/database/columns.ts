import { sql } from 'kysely'
import { Failure } from '@juicebar/contract/errors'

/** The columns with the alias of their table, for a query that joins several: `p.id`. */
export function columnsOf<Alias extends string, Column extends string>(alias: Alias, columns: readonly Column[]): `${Alias}.${Column}`[] {
  return columns.map((column) => `${alias}.${column}` as const)
}

/** The same as SQL text, for statements that are not built: `p.listing_id, p.buyer`. */
export function columnsSql(alias: string, columns: readonly string[]): string {
  return columnsOf(alias, columns)
    .map((column) => column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .join(', ')
}

/** Columns that may all be missing from a row, as after an outer join. */
export type Nullable<T> = { [Column in keyof T]: T[Column] | null }

/** The database's clock, which decides when a payment window closes and when something is due. */
export const now = sql<Date>`now()`

/** A time from now, in whole milliseconds, as JavaScript reads it back: a lease is recognised by its exact time. */
export const inSeconds = (seconds: number) => sql<Date>`date_trunc('milliseconds', now() + make_interval(secs => ${seconds}))`

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
