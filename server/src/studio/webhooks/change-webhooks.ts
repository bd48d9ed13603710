import { Failure } from '@juicebar/contract/errors'
import { type Webhook, type WebhookEvent } from '@juicebar/contract/schemas'
import { type EndpointName } from '@juicebar/contract/endpoints'
import { type Query, type Reply } from '@juicebar/contract/calls'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { insertLogEntry } from '../log/studio-log-store.ts'
import { newSecret, requireWebhookUrl, webhookReply, isDelivered } from './webhook.ts'
import {
  findWebhook,
  insertSecret,
  insertWebhook,
  deleteRow,
  lockWebhook,
  rewind,
  switchOff,
  switchOn,
  listWebhooks,
} from './webhook-store.ts'
import { listDeliveries } from './delivery-store.ts'
import { isId } from '@juicebar/contract/ids'

interface NewWebhook {
  url: string
  events: readonly WebhookEvent[]
  allowPrivate: boolean
  actor: string
  reason?: string | undefined
}

/**
 * Makes a webhook that receives everything that happens from now on. Its secret is never returned again.
 * @throws WEBHOOK_URL_INVALID, TOO_MANY_WEBHOOKS
 */
export async function createWebhook(
  database: Database,
  { url, events, allowPrivate, actor, reason }: NewWebhook,
): Promise<Webhook & { secret: string }> {
  requireWebhookUrl(url, { allowPrivate })
  const secret = newSecret()
  return inTransaction(database, async (tx) => {
    const id = await insertWebhook(tx, url, events)
    if (id === undefined) throw new Failure('TOO_MANY_WEBHOOKS')
    await insertSecret(tx, id, secret)
    await insertLogEntry(tx, { actor, call: 'createWebhook', subject: id, reason: reason ?? null })
    const created = await findWebhook(tx, id)
    if (!created) throw new Error('a webhook is not there in the transaction that has made it')
    return { ...webhookReply(created), secret }
  })
}

/** Which webhook, who changes it, and why. */
export interface Changed {
  id: string
  actor: string
  reason?: string | undefined
}

/**
 * Switches a webhook off, or on again.
 * @throws WEBHOOK_NOT_FOUND
 */
export async function changeWebhook(database: Database, changed: Changed, enabled: boolean): Promise<Webhook> {
  return change(database, changed, 'changeWebhook', async (tx) => {
    await (enabled ? switchOn(tx, changed.id) : switchOff(tx, changed.id))
    return readWebhook(tx, changed.id)
  })
}

/**
 * Deletes a webhook. @returns it as it was
 * @throws WEBHOOK_NOT_FOUND
 */
export async function deleteWebhook(database: Database, changed: Changed): Promise<Webhook> {
  return change(database, changed, 'deleteWebhook', async (tx) => {
    const webhook = await readWebhook(tx, changed.id)
    await deleteRow(tx, changed.id)
    return webhook
  })
}

/**
 * Makes another secret, which is never returned again.
 * @throws WEBHOOK_NOT_FOUND
 */
export async function rotateSecret(database: Database, changed: Changed): Promise<{ id: string; secret: string }> {
  const secret = newSecret()
  return change(database, changed, 'rotateWebhook', async (tx) => {
    await insertSecret(tx, changed.id, secret)
    return { id: changed.id, secret }
  })
}

/**
 * Sends everything after a message again.
 * @throws WEBHOOK_NOT_FOUND, MESSAGE_NOT_FOUND
 */
export async function replayMessages(database: Database, changed: Changed, after: string): Promise<Webhook> {
  return change(database, changed, 'replayWebhook', async (tx) => {
    if (!isId(after) || !(await rewind(tx, changed.id, after))) throw new Failure('MESSAGE_NOT_FOUND')
    return readWebhook(tx, changed.id)
  })
}

async function change<T>(database: Database, { id, actor, reason }: Changed, call: EndpointName, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!isId(id)) throw new Failure('WEBHOOK_NOT_FOUND')
  return inTransaction(database, async (tx) => {
    if (!(await lockWebhook(tx, id))) throw new Failure('WEBHOOK_NOT_FOUND')
    const result = await work(tx)
    await insertLogEntry(tx, { actor, call, subject: id, reason: reason ?? null })
    return result
  })
}

async function readWebhook(tx: Tx, id: string): Promise<Webhook> {
  const webhook = await findWebhook(tx, id)
  if (!webhook) throw new Failure('WEBHOOK_NOT_FOUND')
  return webhookReply(webhook)
}

/**
 * A page of the webhooks.
 * @throws CURSOR_INVALID
 */
export async function readWebhooks(database: Database, { cursor, limit = LISTINGS_PAGE }: Query<'webhooks'>): Promise<Reply<'webhooks'>> {
  if (cursor !== undefined && !isId(cursor)) throw new Failure('CURSOR_INVALID')
  const found = await listWebhooks(database, cursor, limit + 1)
  const webhooks = found.slice(0, limit).map(webhookReply)
  return { webhooks, nextCursor: found.length > limit ? (webhooks.at(-1)?.id ?? null) : null }
}

const deliveryCursor = /^\d{1,18}$/

/**
 * A page of what was sent to a webhook.
 * @throws WEBHOOK_NOT_FOUND, CURSOR_INVALID
 */
export async function readDeliveries(
  database: Database,
  id: string,
  { cursor, limit = LISTINGS_PAGE }: Query<'webhookDeliveries'>,
): Promise<Reply<'webhookDeliveries'>> {
  if (cursor !== undefined && !deliveryCursor.test(cursor)) throw new Failure('CURSOR_INVALID')
  if (!isId(id) || !(await findWebhook(database, id))) throw new Failure('WEBHOOK_NOT_FOUND')
  const found = await listDeliveries(database, id, { before: cursor === undefined ? undefined : BigInt(cursor), limit: limit + 1 })
  const deliveries = found
    .slice(0, limit)
    .map((row) => ({ ...row, id: row.id.toString(), sentAt: row.sentAt.toISOString(), delivered: isDelivered(row) }))
  return { deliveries, nextCursor: found.length > limit ? (deliveries.at(-1)?.id ?? null) : null }
}
