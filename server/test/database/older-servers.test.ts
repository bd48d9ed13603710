import { type WalletAddress } from '@juicebar/contract/addresses'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { inTransaction } from '../../src/database/transact.ts'
import { postTransfer } from '../../src/inventory/ledger-store.ts'
import { createWallet } from '../sign-in/wallet.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { COMPATIBLE, newerMigrations } from '../support/migrations-folder.ts'

let fresh: FreshDatabase

beforeAll(async () => void (fresh = await freshDatabase()))

afterAll(() => fresh.drop())

/** A server that knows the migrations up to this number. */
function serverOf(migration: string, url = fresh.url): DatabaseConnection {
  const connection = connectDatabase(url, () => undefined, { migration })
  onTestFinished(() => connection.close())
  return connection
}

async function credit({ database }: DatabaseConnection): Promise<void> {
  const wallet = createWallet().address as WalletAddress
  await inTransaction(database, (tx) =>
    postTransfer(tx, { kind: 'credit', tokenType: 'APPLE_JUICE', amount: 1, wallet, idempotencyKey: wallet }),
  )
}

it('what a server writes is refused by the database from the moment when an incompatible migration is committed that it does not know', async () => {
  const [older, newer] = [serverOf('9998'), serverOf('9999')]
  const olderByAnotherName = serverOf('9998', `${fresh.url}?application_name=mine`)
  const files = { '9998-compatible.sql': `${COMPATIBLE}select 1`, '9999-incompatible.sql': 'select 1' }
  for (const server of [older, newer, olderByAnotherName]) await credit(server)

  // What it has begun to write is waited for.
  const begun = await older.pool.connect()
  await begun.query('begin; update listings set amount = 1 where false')
  const upgraded = migrate(newer.migrationPool, await newerMigrations(files))
  const waiting = `
    select from pg_stat_activity
    where datname = current_database() and application_name = 'juicebar-migration' and wait_event_type = 'Lock'`
  await expect.poll(async () => (await newer.pool.query(waiting)).rowCount).toBe(1)
  await begun.query('commit')
  begun.release()
  expect(await upgraded).toEqual(Object.keys(files))

  await credit(newer)
  for (const server of [older, olderByAnotherName, serverOf('')]) {
    await expect(credit(server)).rejects.toMatchObject({ code: 'UPGRADING' })
  }
})

it('other programs may write whatever was applied', async () => {
  const { pool } = serverOf('0001')
  await pool.query('update listings set amount = 1 where false').then(
    () => expect.unreachable('a server of the first migration was let in'),
    (error: unknown) => expect(error).toMatchObject({ code: 'JB002' }),
  )
  for (const name of ['psql', 'DBeaver', 'juicebar-migration']) {
    await pool.query(`begin; set local application_name = '${name}'; update listings set amount = 1 where false; commit`)
  }
})
