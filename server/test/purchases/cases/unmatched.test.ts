import { type Signature } from '@juicebar/contract/addresses'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { inTransaction } from '../../../src/database/transact.ts'
import { readUnmatched } from '../../../src/purchases/reply/read-purchases.ts'
import { insertUnmatched } from '../../../src/purchases/cases/unmatched-store.ts'
import { refusal } from '../trading-world.ts'
import { useDatabase } from '../../support/fresh-database.ts'

const opened = useDatabase()

/** Inserts payments one after another in a transaction that takes a moment to commit. */
const insert = (...signatures: string[]) =>
  inTransaction(opened.database, async (tx) => {
    for (const signature of signatures) await insertUnmatched(tx, signature as Signature)
    await sql`select pg_sleep(random() / 50)`.execute(tx)
  })

it('whoever follows the payments that became cases misses none, whichever transaction commits first', async () => {
  const signatures = Array.from({ length: 40 }, (_, n) => `signature ${n}`)
  let done = false
  const inserting = Promise.all(signatures.map((signature) => insert(signature))).then(() => (done = true))
  const followed: string[] = []
  let after: string | undefined
  for (let last = false; !last;) {
    last = done
    const page = await readUnmatched(opened.database, { limit: 3, ...(after !== undefined && { after }) })
    followed.push(...page.payments.map(({ signature }) => signature))
    last &&= page.payments.length === 0
    after = page.next
  }
  await inserting
  expect(followed.toSorted()).toEqual(signatures.toSorted())
})

it('a payment keeps its place, however many cases it becomes', async () => {
  const before = await readUnmatched(opened.database, { limit: 500 })
  await insert('signature 0', 'one more')
  await insert('one more')
  const { payments } = await readUnmatched(opened.database, { after: before.next })
  expect(payments.map(({ signature }) => signature)).toEqual(['one more'])
  expect((await readUnmatched(opened.database, { limit: 500 })).payments).toEqual([...before.payments, ...payments])
})

it('a place that the database has lost is refused', async () => {
  await insert('lost')
  const { next } = await readUnmatched(opened.database, { limit: 500 })
  await sql`delete from unmatched_payments where signature = 'lost'`.execute(opened.database)
  await expect(readUnmatched(opened.database, { after: next })).rejects.toEqual(refusal('CURSOR_EPOCH'))
  await insert('another')
  await expect(readUnmatched(opened.database, { after: next })).rejects.toEqual(refusal('CURSOR_EPOCH'))
  await expect(readUnmatched(opened.database, { after: 'x' })).rejects.toEqual(refusal('CURSOR_INVALID'))
})
