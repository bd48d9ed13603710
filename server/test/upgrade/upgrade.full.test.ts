import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { createApp } from '../../src/app/app.ts'
import { createChain } from '../../src/chain/client/solana-chain.ts'
import { createRelay } from '../../src/chain/client/relay.ts'
import { readConfig } from '../../src/config.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createFailureLog } from '../../src/runtime/outage.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { COMPATIBLE, migrationsFolder, newerMigrations } from '../support/migrations-folder.ts'

let fresh: FreshDatabase

beforeEach(async () => void (fresh = await freshDatabase()))

afterEach(() => fresh.drop())

interface ServerOptions {
  folder?: string
  drainSeconds?: number
}

/** A server of its own, without a chain. */
async function startServer({ folder = migrationsFolder, drainSeconds = 0 }: ServerOptions = {}) {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const connection = connectDatabase(fresh.url, () => undefined)
  const chain = createChain({ endpoints: ['http://127.0.0.1:9'], log: pino({ level: 'silent' }) })
  const app = await createApp({
    catalogue: defaultCatalogue,
    config: { ...readConfig({}), port: 0, drainSeconds },
    jwtSecret: 'j'.repeat(32),
    studioApiKey: 's'.repeat(32),
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: false }),
    log,
    failures: createFailureLog(log),
    version: '1.2.3',
    webFolder: '/nowhere',
    migrationsFolder: folder,
  })
  const started = app.start()
  // A test that expects it to fail looks only after the server listens.
  void started.catch(() => undefined)
  onTestFinished(async () => {
    await app.stop()
    await started.catch(() => undefined)
    await chain.stop()
    await connection.close()
  })
  await expect.poll(() => app.fastify.server.listening).toBe(true)
  const origin = app.fastify.listeningOrigin
  const ask = async (path: string, method = 'GET') => {
    const reply = await fetch(`${origin}${path}`, { method })
    return { status: reply.status, connection: reply.headers.get('connection'), body: await reply.json() }
  }
  const openStream = () => fetch(`${origin}/api/marketplace/events`)
  return { ask, openStream, stop: app.stop, started, pool: connection.pool, lines: () => lines }
}

type Server = Awaited<ReturnType<typeof startServer>>

const LISTINGS = '/api/marketplace/listings'
const ready = { status: 200, body: { ready: true, reason: null } }
const unready = (reason: string) => ({ status: 503, body: { ready: false, reason } })
const patience = { timeout: 30_000, interval: 50 }

const untilReady = (server: Server) => expect.poll(() => server.ask('/health/ready'), patience).toMatchObject(ready)

/** The second one takes until there is a row in `gate`. */
const gated = {
  '9998-gate.sql': 'create table gate ()',
  '9999-gated.sql': 'do $$ begin while not exists (select from gate) loop perform pg_sleep(0.01); end loop; end $$; create table gated ();',
}

const openGate = ({ pool }: Server) => pool.query('insert into gate default values')

async function expectMigrating(server: Server, migration: object): Promise<void> {
  await expect
    .poll(() => server.ask('/health'), patience)
    .toMatchObject({
      status: 503,
      body: { status: 'down', database: 'ok', migrating: true, migration: { ...migration, seconds: expect.any(Number) } },
    })
  expect(await server.ask('/health/ready')).toMatchObject(unready('migrating'))
  expect(await server.ask('/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await server.ask(LISTINGS)).toMatchObject({ status: 503, body: { code: 'UPGRADING' } })
}

describe('a migration', () => {
  it('is applied by one server, while all of them say so and how far it is', async () => {
    const folder = await newerMigrations(gated)
    const one = await startServer({ folder })
    await expectMigrating(one, { name: '9999-gated.sql', number: 2, of: 2 })
    const other = await startServer({ folder })
    await expectMigrating(other, { name: '9999-gated.sql', number: 1, of: 1 })

    await openGate(one)
    for (const server of [one, other]) {
      await untilReady(server)
      expect(await server.ask('/health')).toMatchObject({ body: { migrating: false } })
      expect(await server.ask(LISTINGS)).toMatchObject({ status: 200 })
    }
    const texts = (server: Server) => server.lines().map(({ migration, msg }) => `${(migration as { name?: string })?.name} ${String(msg)}`)
    expect(texts(one)).toContain('9999-gated.sql a migration: applied')
    expect(texts(other)).toContain('9999-gated.sql a migration: waiting for another server')
    expect(texts(other)).not.toContain('9999-gated.sql a migration: applied')
    expect([...texts(one), ...texts(other)].join()).not.toContain('the database cannot be')
  })

  it('may take longer than any statement of a call', async () => {
    const admin = connectDatabase(fresh.url, () => undefined)
    onTestFinished(() => admin.close())
    await admin.pool.query(`do $$ begin execute format('alter database %I set statement_timeout = 50', current_database()); end $$`)
    const folder = await newerMigrations({ '9999-slow.sql': 'select count(*) from generate_series(1, 3000000)' })
    const server = await startServer({ folder })
    await untilReady(server)
  })

  it('starts again if its connection is lost, and is finished by another server if its own is gone', async () => {
    const folder = await newerMigrations(gated)
    const one = await startServer({ folder })
    await expectMigrating(one, { number: 2, of: 2 })
    const kill = `
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'juicebar-migration' and state = 'active'`
    expect((await one.pool.query(kill)).rowCount).toBe(1)
    await expect.poll(() => one.lines().map(({ msg }) => msg)).toContain('a migration was interrupted; it starts again')
    await expectMigrating(one, { number: 1 })

    const other = await startServer({ folder })
    await expectMigrating(other, { number: 1 })
    await one.stop()
    await openGate(other)
    await untilReady(other)
    expect((await other.pool.query(`select to_regclass('gated') is not null as exists`)).rows).toEqual([{ exists: true }])
  })

  it('that fails ends the start, and leaves nothing behind', async () => {
    const folder = await newerMigrations({ '9999-wrong.sql': 'create table half (); select 1 / 0' })
    const server = await startServer({ folder })
    await expect(server.started).rejects.toThrow('migration 9999-wrong.sql failed: division by zero')
    expect((await server.pool.query(`select to_regclass('half') is null as missing`)).rows).toEqual([{ missing: true }])
  })
})

describe('a server that is older than its database', () => {
  const upgrade = async (sql: string) => {
    const { migrationPool, close } = connectDatabase(fresh.url, () => undefined)
    await migrate(migrationPool, await newerMigrations({ '9999-newer.sql': sql }))
    await close()
  }

  it('does no work once an incompatible migration was applied, and does not start again', async () => {
    const server = await startServer()
    await untilReady(server)
    const stream = await server.openStream()
    await upgrade('select 1')
    await expect.poll(() => server.ask('/health/ready'), patience).toMatchObject(unready('outdated'))
    expect(await server.ask('/health')).toMatchObject({ status: 503, body: { status: 'down', database: 'ok', migrating: false } })
    expect(await server.ask(LISTINGS)).toMatchObject({ status: 503, body: { code: 'UPGRADING' } })
    expect(await server.ask('/api/auth/nonce', 'POST')).toMatchObject({ status: 503, body: { code: 'UPGRADING' } })
    await stream.text()
    const again = await startServer()
    await expect(again.started).rejects.toThrow('it has migration 9999-newer.sql, which this version lacks')
  })

  it('works and starts if what was applied is compatible', async () => {
    const server = await startServer()
    await untilReady(server)
    await upgrade(`${COMPATIBLE}alter table listings add column title text`)
    await untilReady(await startServer())
    expect(await server.ask('/health/ready')).toMatchObject(ready)
    expect(await server.ask(LISTINGS)).toMatchObject({ status: 200 })
  })
})

describe('a server that is stopped', () => {
  it('says that it is not ready, and answers all the same, until it has drained', async () => {
    const server = await startServer({ drainSeconds: 300 })
    await untilReady(server)
    const stopped = server.stop({ drain: true })
    expect(await server.ask('/health/ready')).toMatchObject(unready('draining'))
    expect(await server.ask('/health')).toMatchObject({ status: 200 })
    expect(await server.ask(LISTINGS)).toMatchObject({ status: 200, connection: 'close' })
    // The next one comes from memory.
    expect(await server.ask(LISTINGS)).toMatchObject({ status: 200, connection: 'close' })
    await server.stop()
    await stopped
    await expect(server.ask('/health/live')).rejects.toThrow('fetch failed')
  })
})
