import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { createApp } from '../../src/app/app.ts'
import { createRelay } from '../../src/chain/client/relay.ts'
import { readConfig } from '../../src/config.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { newestMigration } from '../../src/database/migration-files.ts'
import { expectAllAddsUp, openTradingWorld, type TradingWorld } from '../purchases/trading-world.ts'
import { COMPATIBLE, migrationsFolder, newerMigrations } from '../support/migrations-folder.ts'
import { startBalancer } from './balancer.ts'
import { startTraders, type Traders } from './traders.ts'

let world: TradingWorld

beforeAll(async () => void (world = await openTradingWorld()))

afterAll(async () => {
  await expectAllAddsUp(world)
  await world.close()
})

/** A server with connections of its own; it migrates the database if it is new. */
async function startServer(folder: string) {
  const { chain, deps } = world
  const connection = connectDatabase(world.databaseUrl, () => undefined, { migration: await newestMigration(folder) })
  const app = await createApp({
    catalogue: defaultCatalogue,
    config: { ...readConfig({}), port: 0, drainSeconds: 3 },
    jwtSecret: 'j'.repeat(32),
    studioApiKey: 's'.repeat(32),
    connection,
    chain,
    relay: createRelay(chain.pool, { demo: false }),
    log: deps.log,
    failures: deps.failures,
    version: '0.0.0',
    webFolder: '/nowhere',
    migrationsFolder: folder,
  })
  const started = app.start()
  await expect.poll(() => app.fastify.server.listening).toBe(true)
  const stop = async () => {
    await app.stop({ drain: true })
    await started
    await connection.close()
  }
  return { url: app.fastify.listeningOrigin, stop }
}

/** Waits until players have bought more than before, and made many more calls. */
async function untilMoreTrades(traders: Traders): Promise<void> {
  const [calls, delivered] = [traders.calls(), traders.delivered()]
  const isEnough = () => traders.calls() - calls > 200 && traders.delivered() - delivered > 2
  await expect.poll(() => traders.failures().length > 0 || isEnough(), { timeout: 60_000 }).toBe(true)
  expect(traders.failures()).toEqual([])
}

it('two servers are upgraded one after the other, every table gets a column, and all functions are written again, without one failed call', async () => {
  const balancer = await startBalancer()
  const start = async (folder: string) => {
    const server = await startServer(folder)
    balancer.add(server.url)
    return server
  }
  const old = [await start(migrationsFolder), await start(migrationsFolder)]
  await expect.poll(() => balancer.ready().length, { timeout: 30_000 }).toBe(2)
  const traders = await startTraders(world, balancer.url, 4)
  onTestFinished(async () => {
    await traders.stop()
    await balancer.stop()
  })
  await untilMoreTrades(traders)

  const { rows } = await world.connection.pool.query<{ table: string }>(
    `select relname as "table" from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  )
  const columns = rows.map(({ table }) => `alter table ${table} add column newer text default 'newer';`)
  const newerFolder = await newerMigrations(
    { '9999-columns.sql': `${COMPATIBLE}${columns.join('\n')}` },
    { 'newer.sql': `create or replace function newer() returns text language sql as $$ select 'newer' $$;` },
  )
  const servers: { stop: () => Promise<void> }[] = []
  for (const server of old) {
    const newer = await start(newerFolder)
    servers.push(newer)
    await expect.poll(() => balancer.ready(), { timeout: 30_000 }).toContain(newer.url)
    await untilMoreTrades(traders)
    await server.stop()
    balancer.remove(server.url)
    await untilMoreTrades(traders)
  }

  await traders.stop()
  for (const server of servers) await server.stop()
  expect(traders.failures()).toEqual([])
  expect((await world.connection.pool.query('select newer from purchases where newer = newer() limit 1')).rows).toEqual([
    { newer: 'newer' },
  ])
}, 240_000)
