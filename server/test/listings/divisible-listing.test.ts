import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Listing } from '@juicebar/contract/schemas'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { findListing, listOwnListings } from '../../src/listings/listing-store.ts'
import { FEW_CONNECTIONS } from '../support/few-connections.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { applyMigrationsOf010, migrationsFolder } from '../support/migrations-folder.ts'

/** A database as it was before listings could be divisible. */
async function openOldDatabase(): Promise<{ pool: pg.Pool; connection: DatabaseConnection }> {
  const fresh = await freshDatabase('template0')
  const pool = new pg.Pool({ connectionString: fresh.url })
  pool.on('error', () => undefined)
  const connection = connectDatabase(fresh.url, () => undefined, FEW_CONNECTIONS)
  onTestFinished(async () => {
    await pool.end()
    await connection.close()
    await fresh.drop()
  })
  await applyMigrationsOf010(pool)
  return { pool, connection }
}

it('a listing from before the upgrade is not divisible, and no closed one is rewritten', async () => {
  const { pool, connection } = await openOldDatabase()
  const seller = 'seller' as WalletAddress
  const { rows } = await pool.query<{ id: string }>(
    `insert into listings (seller, token_type, amount, price_lamports, status, closed_at)
     values ($1, 'APPLE_JUICE', 3, 5000000, 'active', null), ($1, 'APPLE_JUICE', 4, 6000000, 'sold', now()) returning id`,
    [seller],
  )
  const read = async (what: string) => (await pool.query<{ value: string }>(`select ${what} as value from listings order by amount`)).rows
  const [versions, texts] = [await read('xmin::text'), await read('reply_json')]

  await migrate(pool, migrationsFolder)

  expect((await read('xmin::text'))[1]).toEqual(versions[1])
  expect((await read('reply_json'))[1]).toEqual(texts[1])
  const [active, sold] = await Promise.all(rows.map(({ id }) => findListing(connection.database, id)))
  expect([active, sold]).toMatchObject([
    { amount: 3, price: 0.005, status: 'active', divisible: false },
    { amount: 4, price: 0.006, status: 'sold', divisible: false },
  ])
  const onMarket: Listing[] = (await pool.query(`select reply_json::json as reply from listings where status = 'active'`)).rows.map(
    ({ reply }) => reply,
  )
  expect(onMarket).toEqual([active])
  expect(await listOwnListings(connection.database, seller, 'all')).toEqual([sold, active].map((each) => expect.objectContaining(each)))
})

it('the database keeps a lamport a drink for what is sold in parts', async () => {
  const { pool } = await openOldDatabase()
  await migrate(pool, migrationsFolder)
  const insert = (amount: number, divisible: boolean) =>
    pool.query(
      `insert into listings (seller, token_type, amount, price_lamports, divisible) values ('seller', 'APPLE_JUICE', $1, 1000000, $2)`,
      [amount, divisible],
    )
  await insert(1_000_000, true)
  await insert(1_000_001, false)
  await expect(insert(1_000_001, true)).rejects.toMatchObject({ constraint: 'listings_divisible_check' })
})
