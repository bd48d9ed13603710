import { Failure } from '@juicebar/contract/errors'
import { MAX_PUSH_SUBSCRIPTIONS } from '@juicebar/contract/limits'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { type Subscription } from './push-subscription.ts'
import { deleteSurplus, lockEndpoint, lockSession, replaceSubscription, type Subscriber } from './subscription-store.ts'

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
