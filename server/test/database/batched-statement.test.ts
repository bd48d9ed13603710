import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { batchedStatement } from '../../src/database/transact.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
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

interface Question {
  word: string
  /** The statement that it is in waits for this advisory lock. */
  lock?: number
}

/** Returns one row for each letter of the word. */
const spell = batchedStatement<Question, { letter: string }>(
  `select asked.n::integer as n, letter
   from unnest($1::text[], $2::bigint[]) with ordinality as asked(word, lock, n)
   cross join lateral (select case when lock is not null then pg_advisory_xact_lock(lock) end offset 0) as locked
   cross join lateral unnest(string_to_array(word, null)) as letter
   order by n`,
  ({ word, lock }) => [word, lock ?? null],
)

const spelled = async (question: Question) => (await spell(connection.database, question)).map(({ letter }) => letter).join('')

it('whoever asks at the same time shares a statement, and gets its own rows', async () => {
  const words = Array.from({ length: 250 }, (_, n) => (n % 7 ? `word ${n}` : ''))
  const query = vi.spyOn(pg.Client.prototype, 'query')
  expect(await Promise.all(words.map((word) => spelled({ word })))).toEqual(words)
  const sent = query.mock.calls.filter((call) => JSON.stringify(call).includes('as asked('))
  expect(sent).toHaveLength(3)
  query.mockRestore()
})

it('a statement that fails, fails for all who share it, and for nobody else', async () => {
  const divide = batchedStatement<{ by: number }, { result: number }>(
    'select n::integer as n, 10 / by as result from unnest($1::integer[]) with ordinality as asked(by, n)',
    ({ by }) => [by],
  )
  const ask = (by: number) => divide(connection.database, { by })
  expect(await Promise.allSettled([ask(2), ask(0), ask(5)])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
    { status: 'rejected' },
  ])
  expect(await Promise.all([ask(2), ask(5)])).toMatchObject([[{ result: 5 }], [{ result: 2 }]])
})

it('a statement that hangs holds up nobody who asked after it was sent', async () => {
  const holder = new pg.Client({ connectionString: fresh.url })
  await holder.connect()
  await holder.query('select pg_advisory_lock(1)')
  const stuck = spelled({ word: 'stuck', lock: 1 })
  const waiting = () => holder.query(`select from pg_locks where locktype = 'advisory' and not granted`)
  await expect.poll(async () => (await waiting()).rowCount).toBe(1)
  expect(await spelled({ word: 'later' })).toBe('later')
  await holder.end()
  expect(await stuck).toBe('stuck')
})
