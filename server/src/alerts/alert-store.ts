import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Alert } from '@juicebar/contract/schemas'
import { sql } from 'kysely'
import { type Database } from '../database/connect.ts'
import { type Tx, withRetry } from '../database/transact.ts'
import { type AlertTerms } from './alert.ts'

interface AlertRow {
  alert: Alert
}

/** Locks a player until the transaction ends, so that no other transaction can change the number of alerts. */
export async function lockPlayer(tx: Tx, wallet: WalletAddress): Promise<void> {
  await sql`select from players where wallet_address = ${wallet} for no key update`.execute(tx)
}

/** The newest first. */
export async function listAlerts(database: Database, wallet: WalletAddress): Promise<Alert[]> {
  const { rows } = await sql<AlertRow>`
    select render_alert(a) as alert from alerts a where a.wallet_address = ${wallet} order by a.id desc
  `.execute(database)
  return rows.map(({ alert }) => alert)
}

export async function findAlert(tx: Tx, id: string): Promise<Alert | undefined> {
  const { rows } = await sql<AlertRow>`select render_alert(a) as alert from alerts a where a.id = ${id}`.execute(tx)
  return rows[0]?.alert
}

/** The identifier of the waiting alert with these terms. */
export async function findWaiting(tx: Tx, wallet: WalletAddress, { tokenType, below }: AlertTerms): Promise<string | undefined> {
  const row = await tx
    .selectFrom('alerts')
    .select('id')
    .where('walletAddress', '=', wallet)
    .where('tokenType', '=', tokenType)
    .where('belowLamports', '=', below)
    .where('firedAt', 'is', null)
    .executeTakeFirst()
  return row?.id
}

/** Makes room for one more by deleting those that fired longest ago. @returns whether there is room */
export async function makeRoom(tx: Tx, wallet: WalletAddress, most: number): Promise<boolean> {
  await sql`
    delete from alerts where id in (
      select id from alerts where wallet_address = ${wallet} and fired_at is not null order by fired_at
      limit greatest(0, (select count(*) from alerts where wallet_address = ${wallet}) - ${most - 1})
    )`.execute(tx)
  const { rows } = await sql<{ hasRoom: boolean }>`
    select count(*) < ${most} as has_room from alerts where wallet_address = ${wallet}
  `.execute(tx)
  return rows[0]?.hasRoom ?? false
}

/** @returns its identifier */
export async function insertAlert(tx: Tx, wallet: WalletAddress, { tokenType, below }: AlertTerms): Promise<string> {
  const values = { walletAddress: wallet, tokenType, belowLamports: below }
  return (await tx.insertInto('alerts').values(values).returning('id').executeTakeFirstOrThrow()).id
}

/** Fires one alert if its price is on the market now. */
export async function fireAlert(tx: Tx, id: string): Promise<void> {
  await sql`select fire_alerts(1, frozen_sellers(), ${id})`.execute(tx)
}

/** Deletes an alert of this wallet. @returns it as it was; undefined if there is none */
export async function deleteAlert(database: Database, wallet: WalletAddress, id: string): Promise<Alert | undefined> {
  const { rows } = await sql<AlertRow>`
    delete from alerts a where a.id = ${id} and a.wallet_address = ${wallet} returning render_alert(a) as alert
  `.execute(database)
  return rows[0]?.alert
}

/** Fires the alerts whose price is on the market now, in one short statement. @returns how many: fewer than `limit` if no more are due */
export async function fireAlerts(database: Database, limit: number): Promise<number> {
  return count(database, 'fire_alerts($1, frozen_sellers())', limit)
}

/** Queues pushes to sellers' browsers for the next sales. @returns how many it processed; 0 if none is left */
export async function pushSales(database: Database, limit: number): Promise<number> {
  return count(database, 'push_sales($1)', limit)
}

async function count(database: Database, work: 'fire_alerts($1, frozen_sellers())' | 'push_sales($1)', limit: number): Promise<number> {
  const [row] = await withRetry(() => database.runStatement<{ count: number }>(`select ${work} as count`, [limit]))
  return row?.count ?? 0
}
