import { Failure } from '@juicebar/contract/errors'
import { type Webhook, type WebhookEvent } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { insertLogEntry } from '../studio-log-store.ts'
import { newSecret } from './delivery/signature.ts'
import { requireWebhookUrl, webhookReply } from './webhook.ts'
import { findWebhook, insertSecret, insertWebhook } from './webhook-store.ts'

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
