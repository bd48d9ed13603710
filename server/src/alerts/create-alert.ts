import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MAX_ALERTS } from '@juicebar/contract/limits'
import { type Alert } from '@juicebar/contract/schemas'
import { type Database } from '../database/connect.ts'
import { inTransaction, type Tx } from '../database/transact.ts'
import { type AlertTerms } from './alert.ts'
import { findAlert, findWaiting, fireAlert, insertAlert, lockPlayer, makeRoom } from './alert-store.ts'

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
