import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { inTransaction } from '../../src/database/transact.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'

let fresh: FreshDatabase
let connection: DatabaseConnection

beforeAll(async () => {
  fresh = await freshDatabase()
  connection = connectDatabase(fresh.url, () => undefined)
})

afterAll(async () => {
  await connection.close()
  await fresh.drop()
})

beforeEach(async () => {
  await connection.pool.query('drop table if exists notes; create table notes (id integer); insert into notes values (1)')
})

const read = () => connection.database.runStatement('select * from notes where id = $1', [1])
/** On as many connections. */
const readAtOnce = () => Promise.all(Array.from({ length: 5 }, read))

it('a statement whose columns a migration changed is repeated, on whichever connection it was prepared', async () => {
  await readAtOnce()
  await connection.pool.query(`alter table notes add column text text default 'more'`)
  expect(await readAtOnce()).toEqual(Array.from({ length: 5 }, () => [{ id: 1, text: 'more' }]))
})

it('so is a transaction, as a whole', async () => {
  await readAtOnce()
  await connection.pool.query('alter table notes add column changed boolean')
  let attempts = 0
  const rows = await inTransaction(connection.database, async (tx) => {
    attempts += 1
    await sql`insert into notes values (${attempts + 1})`.execute(tx)
    return (await sql`select * from notes where id = ${1}`.execute(tx)).rows
  })
  expect(attempts).toBe(2)
  expect(rows).toEqual([{ id: 1, changed: null }])
  expect((await connection.pool.query('select id from notes order by id')).rows).toEqual([{ id: 1 }, { id: 3 }])
})

it('a statement that had to give way to a migration in a deadlock is repeated', async () => {
  await connection.pool.query('drop table if exists others; create table others (id integer)')
  const migrating = await connection.pool.pg.connect()
  await migrating.query(`set deadlock_timeout = '1min'; begin; lock table others`)
  const reading = connection.database.runStatement('select n.id from notes n left join others o on o.id = n.id where n.id = $1', [1])
  await expect
    .poll(async () => (await connection.pool.query(`select from pg_locks where relation = 'others'::regclass and not granted`)).rowCount)
    .toBe(1)
  await migrating.query('lock table notes; commit')
  migrating.release(true)
  expect(await reading).toEqual([{ id: 1 }])
})
