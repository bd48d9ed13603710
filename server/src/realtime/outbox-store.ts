import { type MarketEventType } from '@juicebar/contract/events'
import { sql } from 'kysely'

import { type Database } from '../database/connect.ts'

/** A place in the outbox: by transaction, then by event within it. */
export interface Position {
  xid: string
  id: bigint
}

export interface OutboxEvent extends Position {
  type: MarketEventType
  /** The wallets whose streams carry the event; null for every stream. */
  audience: string[] | null
  /** The event's JSON, as streams carry it. */
  json: string
}

/** No event can appear any more below the oldest running transaction. Reading only up to there loses no event that commits late. */
const settled = sql`xid < pg_snapshot_xmin(pg_current_snapshot())`

/**
 * The events after a position, in order, at most `limit`.
 * `order by events.xid` is qualified: a bare `xid` would be the text in the select list and sort by its digits.
 */
export async function readEvents(database: Database, { xid, id }: Position, limit: number): Promise<OutboxEvent[]> {
  const { rows } = await sql<OutboxEvent>`
    select xid::text, id, type, audience, data::text as json from events
    where (xid, id) > (${xid}::xid8, ${id}) and ${settled}
    order by events.xid, events.id limit ${limit}
  `.execute(database)
  return rows
}

/** The position of the newest event before which no other can appear any more. */
export async function readHead(database: Database): Promise<Position> {
  const { rows } =
    await sql<Position>`select xid::text, id from events where ${settled} order by events.xid desc, events.id desc limit 1`.execute(
      database,
    )
  return rows[0] ?? { xid: '0', id: 0n }
}

/** Whether the outbox still holds this event, and therefore every event after it. */
export async function holdsEvent(database: Database, { xid, id }: Position): Promise<boolean> {
  const { rows } = await sql`select 1 from events where xid = ${xid}::xid8 and id = ${id}`.execute(database)
  return rows.length > 0
}

/** Deletes old events, at most 10,000 at a time, but never the newest. */
export async function purgeEvents(database: Database, olderThanMinutes: number): Promise<void> {
  await sql`
    delete from events where id in (
      select id from events where created_at < now() - make_interval(mins => ${olderThanMinutes})
        and id < (select max(id) from events)
      order by created_at limit 10000)
  `.execute(database)
}
