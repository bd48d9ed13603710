import { WEBHOOK_DAYS } from '@juicebar/contract/limits'
import { type WebhookEvent } from '@juicebar/contract/schemas'
import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { inSeconds } from '../../database/columns.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { type Outcome } from '../../outgoing/post-message.ts'
import { type AfterFailure, isDelivered, type NewMessage, type NotedEvent, type NotedRow, readNotedEvent } from './webhook.ts'

/** Of each webhook. */
const KEPT_DELIVERIES = 10_000

/** The messages that a webhook `w` has not received, for a lateral join: each type is one walk along its index. */
const nextOf = (limit: number) => sql`
  unnest(w.events) as wanted (type) cross join lateral (
    select ordinal, id, type, body from webhook_messages m where m.type = wanted.type and m.ordinal > w.delivered_to
    order by m.ordinal limit ${limit}
  ) next`

/**
 * Leases webhooks that have something to send now, at most `limit`, those that have waited longest first.
 * @returns their identifiers
 */
export async function leaseWebhooks(database: Database, leaseId: string, seconds: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update webhooks set lease_id = ${leaseId}, lease_until = ${inSeconds(seconds)}
    where id in (
      select w.id from webhooks w
      where w.enabled and w.lease_until <= now() and (w.attempt_at is null or w.attempt_at <= now())
        and exists (select from ${nextOf(1)})
      order by w.lease_until limit ${limit} for update skip locked
    ) returning id
  `.execute(database)
  return rows.map(({ id }) => id)
}

export interface QueuedMessage {
  ordinal: bigint
  id: string
  type: WebhookEvent
  body: string
}

/** The position of a webhook's queue, and the next messages. */
export interface Queue {
  url: string
  secrets: string[]
  failedAttempts: number
  replays: number
  messages: QueuedMessage[]
}

export interface Lease {
  webhookId: string
  leaseId: string
}

/** Extends a lease and reads the next messages, in order. @returns undefined if the lease is lost, or the webhook was switched off */
export async function readQueue(
  database: Database,
  { webhookId, leaseId }: Lease,
  seconds: number,
  limit: number,
): Promise<Queue | undefined> {
  const { rows } = await sql<Omit<Queue, 'messages'>>`
    update webhooks w set lease_until = ${inSeconds(seconds)}
    where id = ${webhookId} and lease_id = ${leaseId} and enabled
    returning url, failed_attempts, replays, array(
      select secret from webhook_secrets s where s.webhook_id = w.id and (s.expires_at is null or s.expires_at > now()) order by s.id desc
    ) as secrets
  `.execute(database)
  const [queue] = rows
  if (!queue) return undefined
  const { rows: messages } = await sql<QueuedMessage>`
    select next.ordinal, next.id, next.type, next.body from webhooks w cross join ${nextOf(limit)}
    where w.id = ${webhookId} order by next.ordinal limit ${limit}
  `.execute(database)
  return { ...queue, messages }
}

/** A message that was sent, and its outcome. */
export interface Attempt {
  message: QueuedMessage
  /** The first is 1. */
  number: number
  sentAt: Date
  outcome: Outcome
}

export interface Report {
  /** As they were read with the queue. */
  replays: number
  attempts: readonly Attempt[]
  /** The consequence, if the last attempt failed. */
  failure: AfterFailure | undefined
}

/**
 * Records attempts and the queue's new position; changes that the studio made in the meantime stay. Nothing is recorded if the lease is
 * lost.
 */
export async function recordAttempts(database: Database, lease: Lease, { replays, attempts, failure }: Report): Promise<void> {
  const delivered = attempts.findLast(({ outcome }) => isDelivered(outcome))?.message.ordinal
  const last = attempts.at(-1)
  const failedAttempts = failure && last ? last.number : 0
  const retrySeconds = failure && 'retrySeconds' in failure ? failure.retrySeconds : undefined
  const switchOff = failure && 'switchOff' in failure ? failure.switchOff : undefined
  await inTransaction(database, async (tx) => {
    const held = await tx
      .updateTable('webhooks')
      .set({ leaseUntil: sql<Date>`case when ${failure !== undefined}::boolean then now() else lease_until end` })
      .where('id', '=', lease.webhookId)
      .where('leaseId', '=', lease.leaseId)
      .returning(['replays', 'enabled'])
      .executeTakeFirst()
    if (!held) return
    if (held.replays === replays) {
      await tx
        .updateTable('webhooks')
        .set({ failedAttempts, attemptAt: retrySeconds === undefined ? null : inSeconds(retrySeconds) })
        .$if(delivered !== undefined, (query) => query.set({ deliveredTo: delivered ?? 0n }))
        .$if(switchOff !== undefined, (query) => query.set({ enabled: false, switchedOff: switchOff ?? null }))
        .where('id', '=', lease.webhookId)
        .execute()
    }
    const rows = attempts.map(({ message, number, sentAt, outcome }) => ({
      webhookId: lease.webhookId,
      messageId: message.id,
      type: message.type,
      attempt: number,
      sentAt,
      latencyMillis: outcome.latencyMillis,
      status: outcome.status,
      error: outcome.error,
      answer: outcome.answer,
    }))
    if (rows.length > 0) await tx.insertInto('webhookDeliveries').values(rows).execute()
  })
}

/** Releases a lease. */
export async function endLease(database: Database, { webhookId, leaseId }: Lease): Promise<void> {
  await sql`update webhooks set lease_until = now() where id = ${webhookId} and lease_id = ${leaseId}`.execute(database)
}

const deliveryColumns = ['id', 'messageId', 'type', 'attempt', 'sentAt', 'latencyMillis', 'status', 'error', 'answer'] as const

/** Deliveries to a webhook, newest first, before `before`. */
export async function listDeliveries(
  database: Database,
  webhookId: string,
  { before, limit }: { before: bigint | undefined; limit: number },
) {
  return database
    .selectFrom('webhookDeliveries')
    .select(deliveryColumns)
    .where('webhookId', '=', webhookId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0n))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Deletes the oldest records of each webhook beyond those that are kept, at most `limit` of each. @returns the most of any */
export async function purgeDeliveries(database: Database, limit: number, kept = KEPT_DELIVERIES): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with surplus as (
      select old.id, old.webhook_id from webhooks w
      cross join lateral (
        select d.id from webhook_deliveries d where d.webhook_id = w.id order by d.id desc offset ${kept} limit 1
      ) newest
      cross join lateral (
        select d.id, d.webhook_id from webhook_deliveries d where d.webhook_id = w.id and d.id <= newest.id order by d.id limit ${limit}
      ) old
    ), deleted as (delete from webhook_deliveries where id in (select id from surplus) returning webhook_id)
    select coalesce(max(each.count), 0)::integer as deleted from (select count(*) from deleted group by webhook_id) each
  `.execute(database)
  return rows[0]?.deleted ?? 0
}

/** Deletes the secrets that are no longer valid. */
export async function purgeSecrets(database: Database): Promise<void> {
  await sql`delete from webhook_secrets where expires_at <= now()`.execute(database)
}

/** Any number that no other advisory lock in the database uses. */
const ORDERING_LOCK = 7_306_020

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

/**
 * Takes the earliest recorded events, at most `limit`, in order: events recorded after another transaction has committed come after its
 * events. Events that commit late are taken later.
 */
export async function takeNotedEvents(tx: Tx, limit: number): Promise<NotedEvent[]> {
  const { rows } = await sql<NotedRow>`
    delete from webhook_outbox where id in (select id from webhook_outbox order by id limit ${limit})
    returning id, type, subject, snapshot, created_at
  `.execute(tx)
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(readNotedEvent)
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
      select ordinal from webhook_messages where created_at < now() - make_interval(days => ${WEBHOOK_DAYS}) order by created_at limit ${limit}
    )`.execute(database)
  return Number(numAffectedRows ?? 0)
}
