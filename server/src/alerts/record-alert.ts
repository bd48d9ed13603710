import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MAX_ALERTS, MAX_PUSH_SUBSCRIPTIONS } from '@juicebar/contract/limits'
import { type Alert } from '@juicebar/contract/schemas'
import { type Database } from '../database/connect.ts'
import { inTransaction, type Tx } from '../database/transact.ts'
import { type AlertTerms } from './alert.ts'
import { findAlert, findWaiting, fireAlert, insertAlert, lockPlayer, makeRoom } from './alert-store.ts'
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

/**
 * Sets an alert, which fires at once if its price is on the market already. Setting the same alert again while it waits returns the
 * existing one.
 * @throws TOO_MANY_ALERTS
 */
export async function createAlert(database: Database, wallet: WalletAddress, terms: AlertTerms): Promise<Alert> {
  return inTransaction(database, async (tx) => {
    await lockPlayer(tx, wallet)
    const id = (await findWaiting(tx, wallet, terms)) ?? (await addAlert(tx, wallet, terms))
    const alert = await findAlert(tx, id)
    if (!alert) throw new Error('an alert is not there in the transaction that has set it')
    return alert
  })
}

async function addAlert(tx: Tx, wallet: WalletAddress, terms: AlertTerms): Promise<string> {
  if (!(await makeRoom(tx, wallet, MAX_ALERTS))) throw new Failure('TOO_MANY_ALERTS', { detail: String(MAX_ALERTS) })
  const id = await insertAlert(tx, wallet, terms)
  await fireAlert(tx, id)
  return id
}

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
