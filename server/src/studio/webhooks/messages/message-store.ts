import { type CaseStatus, type WebhookEvent } from '@juicebar/contract/schemas'
import { sql } from 'kysely'

import { type Database } from '../../../database/connect.ts'
import { type Tx } from '../../../database/transact.ts'
import { type NewMessage, type NotedEvent } from './message.ts'

/** Any number that no other advisory lock in the database uses. */
const ORDERING_LOCK = 7_306_020
const KEEP_DAYS = 30

/** Whether there are recorded events that are not messages yet. */
export async function hasNotedEvents(database: Database): Promise<boolean> {
  const [row] = await database.runStatement<{ noted: boolean }>('select exists (select from webhook_outbox) as noted', [])
  return row?.noted ?? false
}

/** Claims the order of messages until the transaction ends. @returns false if another server has it */
export async function claimOrder(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ claimed: boolean }>`select pg_try_advisory_xact_lock(${ORDERING_LOCK}) as claimed`.execute(tx)
  return rows[0]?.claimed ?? false
}

interface NotedRow {
  id: bigint
  type: WebhookEvent
  subject: string
  snapshot: unknown
  createdAt: Date
}

/**
 * Takes the earliest recorded events, at most `limit`, in order: events recorded after another transaction has committed come after its
 * events. Events that commit late are taken later.
 */
export async function takeNotedEvents(tx: Tx, limit: number): Promise<NotedEvent[]> {
  const { rows } = await sql<NotedRow>`
    delete from webhook_outbox where id in (select id from webhook_outbox order by id limit ${limit})
    returning id, type, subject, snapshot, created_at
  `.execute(tx)
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(notedEvent)
}

function notedEvent({ id, type, subject, snapshot, createdAt }: NotedRow): NotedEvent {
  const noted = { id, createdAt }
  switch (type) {
    case 'sale.settled':
    case 'sale.reversed':
      return { ...noted, type, purchaseId: subject }
    case 'listing.created':
    case 'listing.removed':
      // The triggers of functions/webhooks.sql write these.
      return { ...noted, type, listing: snapshot as object }
    case 'case.opened':
    case 'case.closed': {
      const { closedAt, ...state } = snapshot as { status: CaseStatus; deliverable: boolean; note: string | null; closedAt: string | null }
      return { ...noted, type, state: { ...state, id: subject, closedAt: closedAt === null ? null : new Date(closedAt) } }
    }
  }
}

/** Adds messages to the end of the order. */
export async function insertMessages(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
  await sql`
    insert into webhook_messages (type, body)
    select type, body from unnest(${messages.map(({ type }) => type)}::text[], ${messages.map(({ body }) => body)}::text[])
      with ordinality as new (type, body, n) order by n
  `.execute(tx)
}

/** Deletes messages that are too old for a replay. @returns how many: fewer than `limit` if there are no more */
export async function purgeMessages(database: Database, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_messages where ordinal in (
      select ordinal from webhook_messages where created_at < now() - make_interval(days => ${KEEP_DAYS}) order by created_at limit ${limit}
    )`.execute(database)
  return Number(numAffectedRows ?? 0)
}
