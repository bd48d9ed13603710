import { type MarketEventType } from '@juicebar/contract/events'
import { sql } from 'kysely'

import { type Database } from '../database/connect.ts'

/** A place in the outbox: by transaction, then by event within it. */
export interface Position {
  xid: string
  id: bigint
  /** When the event was written, in microseconds. A database that has lost events gives their numbers to others, but not their times. */
  at: bigint
}

/** The start of an outbox in which nothing was ever written. */
export const origin: Position = { xid: '0', id: 0n, at: 0n }

export interface OutboxEvent extends Position {
  type: MarketEventType
  /** The wallets whose streams carry the event; null for every stream. */
  audience: string[] | null
  /** The event's JSON, as streams carry it. */
  json: string
}

/** No event can appear any more below the oldest running transaction. Reading only up to there loses no event that commits late. */
const settled = sql`xid < pg_snapshot_xmin(pg_current_snapshot())`
const at = sql`(extract(epoch from created_at) * 1000000)::bigint`
/** Node.js reads a JSON array in a tenth of the time of a PostgreSQL array. */
const audience = sql`to_json(audience)`
/** Of the write-ahead log: each fail-over begins a new one. Null on a standby. */
const timeline = sql`(select case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end)`

/**
 * The events after a position, in order, at most `limit`.
 * `order by events.xid` is qualified: a bare `xid` would be the text in the select list and sort by its digits.
 */
export async function readEvents(database: Database, { xid, id }: Position, limit: number): Promise<OutboxEvent[]> {
  const { rows } = await sql<OutboxEvent>`
    select xid::text, id, ${at} as at, type, ${audience} as audience, data::text as json from events
    where (xid, id) > (${xid}::xid8, ${id}) and ${settled}
    order by events.xid, events.id limit ${limit}
  `.execute(database)
  return rows
}

/** An event as the feed reads it: with the database's timeline, by which it notices a fail-over. */
export interface PolledEvent extends OutboxEvent {
  timeline: string | null
}

/** The event at a position, if the outbox holds it, and those after it, as `readEvents` returns them. One statement, polled all the time. */
export async function pollEvents(database: Database, { xid, id }: Position, limit: number): Promise<PolledEvent[]> {
  const { rows } = await sql<PolledEvent>`
    select xid::text, id, ${at} as at, type, ${audience} as audience, data::text as json, ${timeline} as timeline from events
    where (xid, id) >= (${xid}::xid8, ${id}) and ${settled}
    order by events.xid, events.id limit ${limit + 1}
  `.execute(database)
  return rows
}

/** The position of the newest event before which no other can appear any more. */
export async function readHead(database: Database): Promise<Position> {
  const { rows } =
    await sql<Position>`select xid::text, id, ${at} as at from events where ${settled} order by events.xid desc, events.id desc limit 1`.execute(
      database,
    )
  return rows[0] ?? origin
}

/** The database's timeline; null on a standby. */
export async function readTimeline(database: Database): Promise<string | null> {
  const { rows } = await sql<{ timeline: string | null }>`select ${timeline} as timeline`.execute(database)
  return rows[0]?.timeline ?? null
}

/** Whether the outbox still holds this event, and therefore every event after it. */
export async function holdsEvent(database: Database, position: Position): Promise<boolean> {
  const { rows } = await sql`
    select 1 from events where id = ${position.id} and xid = ${position.xid}::xid8 and ${at} = ${position.at} and ${settled}
  `.execute(database)
  return rows.length > 0
}

/** How many of these events are missing from the outbox although they are too recent to have been purged. */
export async function countLost(database: Database, positions: readonly Position[], recentMinutes: number): Promise<number> {
  const { rows } = await sql<{ lost: number }>`
    select count(*)::int as lost from unnest(
      ${positions.map(({ xid }) => xid)}::text[], ${positions.map(({ id }) => id)}::bigint[], ${positions.map((position) => position.at)}::bigint[]
    ) as p (xid, id, at)
    where p.at > extract(epoch from now() - make_interval(mins => ${recentMinutes})) * 1000000
      and not exists (select from events where events.id = p.id and events.xid = p.xid::xid8 and ${at} = p.at)
  `.execute(database)
  return rows[0]?.lost ?? 0
}

/**
 * Deletes old events in one short statement, concurrently with other servers. A server that has read up to the newest old event must find
 * it again, so that event stays, with those of the same minute.
 * @returns how many it deleted: fewer than `limit` if it found no more
 */
export async function purgeEvents(
  database: Database,
  { olderThanMinutes, limit }: { olderThanMinutes: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from events where id = any(array(
      select id from events
      where created_at < (
        select max(created_at) - interval '1 minute' from events where created_at < now() - make_interval(mins => ${olderThanMinutes})
      )
      order by created_at limit ${limit} for update skip locked))
  `.execute(database)
  return Number(numAffectedRows ?? 0)
}
