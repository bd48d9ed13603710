import { type Query, type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type Database } from '../../database/connect.ts'
import { isId } from '../../listings/listing.ts'
import { isDelivered } from './delivery/attempt.ts'
import { listDeliveries } from './delivery/delivery-store.ts'
import { webhookReply } from './webhook.ts'
import { findWebhook, listWebhooks } from './webhook-store.ts'

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
