import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

import { startTcpProxy } from '../../chaos/stack/tcp-proxy.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { startApp, studioApiKey } from '../support/start-app.ts'

/** Instead of the product's 20 s. */
const queryMillis = 1_000
const patience = { interval: 50 }

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})

afterAll(() => fresh.drop())

async function openProxy() {
  const proxy = await startTcpProxy(fresh.url)
  onTestFinished(() => proxy.cut())
  return proxy
}

async function openConnection(url: string) {
  const connection = connectDatabase(url, () => undefined, { queryMillis })
  onTestFinished(() => connection.close())
  return connection
}

const readPid = `select pg_backend_pid() as pid`

it('a query on a silent connection fails, the connection is given up, and others to the same host are not used either', async () => {
  const proxy = await openProxy()
  const { pool } = await openConnection(proxy.url)
  const connections = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
  for (const connection of connections) {
    await connection.query(readPid)
    connection.release()
  }
  proxy.silence()
  await expect(pool.query(readPid)).rejects.toThrow('Query read timeout')
  // Were another silent one used, this would fail too.
  expect((await pool.query(readPid)).rowCount).toBe(1)
  await expect.poll(() => proxy.silenced()).toBe(0)
})

it('a statement that may take long is waited for, and the connection stays', async () => {
  const { database } = await openConnection(fresh.url)
  const slow = sql`select pg_sleep(${(2 * queryMillis) / 1000})`
  // Both name their statements on the same connections.
  await sql`select ${1}::integer`.execute(database)
  await slow.execute(database.patient(20 * queryMillis))
  await expect(slow.execute(database)).rejects.toThrow('Query read timeout')
})

it('further queries on it fail with the same error, without being sent', async () => {
  const proxy = await openProxy()
  const { pool } = await openConnection(proxy.url)
  const connection = await pool.connect()
  proxy.silence()
  const failure: unknown = await connection.query(readPid).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  expect(await connection.query('rollback').catch((error: unknown) => error)).toBe(failure)
  connection.release()
})

it('a transaction on a silent connection fails with the first query that gets no answer, without waiting for its rollback', async () => {
  const proxy = await openProxy()
  const { database, pool } = await openConnection(proxy.url)
  let failures = 0
  const transaction = database.transaction().execute(async (tx) => {
    await tx.selectFrom('players').selectAll().execute()
    proxy.silence()
    await tx
      .selectFrom('players')
      .selectAll()
      .execute()
      .catch((error: unknown) => {
        failures += 1
        throw error
      })
  })
  await expect(transaction).rejects.toThrow('Query read timeout')
  expect(failures).toBe(1)
  expect(pool.pg.totalCount, 'the connection is gone at once').toBe(0)
})

it('all work of a server goes on when every connection to its database has died in silence', async () => {
  const proxy = await openProxy()
  const server = await startApp(proxy.url, { queryMillis })
  const health = () => server.get('/health')
  // Streams are refused until it is ready.
  await expect.poll(() => server.get('/health/ready'), patience).toMatchObject({ status: 200 })
  const stream = await fetch(`${server.origin}/api/marketplace/events`)
  const frames = collect(stream)
  await expect.poll(frames).toContain('event: ready')

  proxy.silence()
  expect(proxy.silenced()).toBeGreaterThan(0)
  const { pool } = await openConnection(fresh.url)
  await pool.query(`insert into events (type, data) values ('listing.sold', '{"type":"listing.sold","after":"the silence"}')`)
  await expect.poll(frames, patience).toContain('the silence')
  await expect.poll(() => startAudit(server.origin), patience).toBe(202)
  await expect.poll(async () => (await pool.query('select from audits where finished_at is not null')).rowCount, patience).toBe(1)
  await expect.poll(() => proxy.silenced(), patience).toBe(0)
  await expect.poll(health, patience).toMatchObject({ status: 200 })
  await expect.poll(async () => Math.max(...(await ages(server))), patience).toBeLessThan(1)
})

async function ages({ get }: Awaited<ReturnType<typeof startApp>>): Promise<number[]> {
  const { body } = await get('/health')
  const { age } = body as { age: Record<string, number> }
  return Object.values(age)
}

function collect(stream: Response): () => string {
  let text = ''
  const read = async () => {
    for await (const bytes of stream.body ?? []) text += Buffer.from(bytes as Uint8Array).toString()
  }
  void read().catch(() => undefined)
  return () => text
}

async function startAudit(origin: string): Promise<number> {
  const reply = await fetch(`${origin}/api/studio/audits`, { method: 'POST', headers: { authorization: `Bearer ${studioApiKey}` } })
  await reply.text()
  return reply.status
}
