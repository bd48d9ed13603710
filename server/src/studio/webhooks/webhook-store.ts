import { MAX_WEBHOOKS } from '@juicebar/contract/limits'
import { type WebhookEvent } from '@juicebar/contract/schemas'
import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { type WebhookRow } from './webhook.ts'

/** How long former secrets stay valid after a rotation, for receivers that have not switched yet. */
const OVERLAP_HOURS = 24
/** For one webhook, so that repeated rotation does not make messages longer and longer. */
const MAX_SECRETS = 5

const columns = sql`
  w.id, w.url, w.events, w.enabled, w.switched_off, w.failed_attempts, w.attempt_at, w.created_at,
  (select count(*)::integer from webhook_secrets s where s.webhook_id = w.id and (s.expires_at is null or s.expires_at > now())) as secret_count,
  (select min(next.created_at) from unnest(w.events) as wanted (type) cross join lateral (
    select m.created_at from webhook_messages m where m.type = wanted.type and m.ordinal > w.delivered_to order by m.ordinal limit 1
  ) next) as waiting_since`

/** Adds a webhook that receives what happens from now on. @returns its identifier; undefined if there are already too many */
export async function insertWebhook(tx: Tx, url: string, events: readonly WebhookEvent[]): Promise<string | undefined> {
  // So that two webhooks created at once cannot exceed the limit. Calls that only read webhooks do not wait.
  await sql`lock table webhooks in share row exclusive mode`.execute(tx)
  const { rows } = await sql<{ id: string }>`
    insert into webhooks (url, events, delivered_to)
    select ${url}, ${events}::text[], (select coalesce(max(ordinal), 0) from webhook_messages)
    where (select count(*) from webhooks) < ${MAX_WEBHOOKS} returning id
  `.execute(tx)
  return rows[0]?.id
}

/** Adds a secret. Those before it expire in 24 hours, if they have not been replaced before. */
export async function insertSecret(tx: Tx, webhookId: string, secret: string): Promise<void> {
  await sql`
    update webhook_secrets set expires_at = now() + make_interval(hours => ${OVERLAP_HOURS}) where webhook_id = ${webhookId} and expires_at is null
  `.execute(tx)
  await tx.insertInto('webhookSecrets').values({ webhookId, secret }).execute()
  await sql`
    delete from webhook_secrets where webhook_id = ${webhookId}
      and id in (select id from webhook_secrets where webhook_id = ${webhookId} order by id desc offset ${MAX_SECRETS})
  `.execute(tx)
}

/** Locks a webhook until the transaction ends. @returns false if there is none */
export async function lockWebhook(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('webhooks').select('id').where('id', '=', id).forUpdate().executeTakeFirst()) !== undefined
}

export async function findWebhook(database: Database | Tx, id: string): Promise<WebhookRow | undefined> {
  return (await sql<WebhookRow>`select ${columns} from webhooks w where w.id = ${id}`.execute(database)).rows[0]
}

/** Oldest first, after `after`. */
export async function listWebhooks(database: Database, after: string | undefined, limit: number): Promise<WebhookRow[]> {
  const from = after === undefined ? sql`true` : sql`w.id > ${after}`
  return (await sql<WebhookRow>`select ${columns} from webhooks w where ${from} order by w.id limit ${limit}`.execute(database)).rows
}

/** Retries the oldest undelivered message at once, with ten new attempts. */
const fromTheBeginning = { failedAttempts: 0, attemptAt: null, replays: sql<number>`replays + 1` }

export async function switchOn(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ enabled: true, switchedOff: null, ...fromTheBeginning })
    .where('id', '=', id)
    .execute()
}

/** A webhook that is already off keeps its reason. */
export async function switchOff(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('webhooks').set({ enabled: false, switchedOff: 'asked' }).where('id', '=', id).where('enabled', '=', true).execute()
}

/** Sets the queue to go on after a message. @returns false if there is no such message */
export async function rewind(tx: Tx, id: string, messageId: string): Promise<boolean> {
  const message = await tx.selectFrom('webhookMessages').select('ordinal').where('id', '=', messageId).executeTakeFirst()
  if (!message) return false
  await tx
    .updateTable('webhooks')
    .set({ deliveredTo: message.ordinal, ...fromTheBeginning })
    .where('id', '=', id)
    .execute()
  return true
}

export async function deleteRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('id', '=', id).execute()
}
