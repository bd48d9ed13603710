import { Failure } from '@juicebar/contract/errors'
import { MAX_PUSH_SUBSCRIPTIONS } from '@juicebar/contract/limits'
import { type Database } from '../database/connect.ts'
import { newPushKeys, type PushKeys, type Subscription } from './push.ts'
import {
  findPushKeys,
  insertPushKeys,
  deleteSurplus,
  lockEndpoint,
  lockSession,
  replaceSubscription,
  type Subscriber,
} from './push-store.ts'
import { inTransaction } from '../database/transact.ts'

/**
 * The keys that identify this market to push services. They are generated when first needed and are then the same on every server. They are
 * read each time, because a restored database may have different ones.
 */
export async function createPushKeys(database: Database): Promise<PushKeys> {
  const kept = await findPushKeys(database)
  if (kept) return kept
  await insertPushKeys(database, newPushKeys())
  const created = await findPushKeys(database)
  if (!created) throw new Error('the keys for pushes were not kept')
  return created
}

/**
 * Makes a session's browser show pushes until the session ends.
 * @throws SESSION_ENDED if it has ended in the meantime
 */
export async function recordSubscription(database: Database, subscriber: Subscriber, subscription: Subscription): Promise<void> {
  await inTransaction(database, async (tx) => {
    if (!(await lockSession(tx, subscriber))) throw new Failure('SESSION_ENDED')
    await lockEndpoint(tx, subscription.endpoint)
    await replaceSubscription(tx, subscriber, subscription)
    await deleteSurplus(tx, subscriber.player, MAX_PUSH_SUBSCRIPTIONS)
  })
}
