import { type EndpointName } from '@juicebar/contract/endpoints'
import { Failure } from '@juicebar/contract/errors'
import { type Webhook } from '@juicebar/contract/schemas'

import { type Database } from '../../database/connect.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { insertLogEntry } from '../studio-log-store.ts'
import { newSecret } from './delivery/signature.ts'
import { webhookReply } from './webhook.ts'
import { deleteRow, findWebhook, insertSecret, lockWebhook, rewind, switchOff, switchOn } from './webhook-store.ts'

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
