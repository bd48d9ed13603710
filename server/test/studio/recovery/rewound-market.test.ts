import { setMaxListeners } from 'node:events'

import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'

import { connectDatabase, type Database } from '../../../src/database/connect.ts'
import { createFailureLog } from '../../../src/logging/failure-log.ts'
import { createEventFeed } from '../../../src/realtime/poll-outbox.ts'
import { findPause } from '../../../src/restrictions/restriction-store.ts'
import { checkIdentity } from '../../../src/studio/recovery/rewind/check-identity.ts'
import { recordRewind } from '../../../src/studio/recovery/rewind/record-rewind.ts'
import { saveIdentity } from '../../../src/studio/recovery/rewind/rewind-store.ts'
import { recordResumption } from '../../../src/studio/restrictions/record-pause.ts'
import { collectLog } from '../../logging/collected-log.ts'
import { emission } from '../../realtime/live-world.ts'
import { waiting } from '../../purchases/trading-world.ts'
import { freshDatabase } from '../../support/fresh-database.ts'
import { startApp } from '../../support/start-app.ts'

let url: string
let database: Database
let query: (sql: string, values?: unknown[]) => Promise<unknown>
const { log, about } = collectLog()

/** An empty market for this test alone. */
async function openMarket(): Promise<void> {
  const fresh = await freshDatabase()
  const connection = connectDatabase(fresh.url, () => undefined)
  url = fresh.url
  database = connection.database
  query = (sql, values) => connection.pool.pg.query(sql, values)
  onTestFinished(async () => {
    await connection.close()
    await fresh.drop()
  })
}

/** A whole server, once it takes calls. */
async function startServer(): Promise<void> {
  const { get } = await startApp(url, { log })
  await expect.poll(async () => (await get('/health/ready')).status, waiting).toBe(200)
}

/** What a fail-over or a restore does to the identity. */
const becomeAnother = () => query(`update database_identity set identity = 'another database'`)
const isPaused = async () => (await findPause(database)) !== undefined

async function rewinds(): Promise<string[]> {
  return (await database.selectFrom('rewinds').select('cause').orderBy('id').execute()).map(({ cause }) => cause)
}

/** A server that starts here: decides whether this is the database that servers have left. */
async function start(files?: string): Promise<void> {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  await checkIdentity({ database, log, failures: createFailureLog(log), hasLost: async () => false, files }, signal)
}

describe('a database', () => {
  it('that no server has seen before is complete', async () => {
    await openMarket()
    await start()
    expect(await isPaused()).toBe(false)
    await start()
    expect(await rewinds()).toEqual([])
  })

  it('that is another one than before sells nothing, even before a server has said why', async () => {
    await openMarket()
    await start()
    await becomeAnother()
    expect(await isPaused()).toBe(true)
    const { rows } = (await query(`select refusal from restriction_of('anybody')`)) as { rows: { refusal: string }[] }
    expect(rows).toEqual([{ refusal: 'PAUSED' }])
  })

  it('is recognised by what every user of it may know', async () => {
    await openMarket()
    await database.transaction().execute(async (tx) => {
      await sql`create role nobody_special`.execute(tx)
      await sql`set local role nobody_special`.execute(tx)
      const { rows } = await sql<{ identity: string }>`select current_identity() as identity`.execute(tx)
      expect(rows[0]?.identity).toMatch(/^\d+ \d+ [0-9A-F]{8}$/)
      await sql`reset role`.execute(tx)
      await sql`drop role nobody_special`.execute(tx)
    })
  })

  it('that is another one when the first server starts was restored', async () => {
    await openMarket()
    await start()
    await becomeAnother()
    await start()
    expect(await rewinds()).toEqual(['restored'])
    expect(await isPaused()).toBe(true)
    await start()
    expect(await rewinds()).toEqual(['restored'])
  })

  it('that is built in is told from a copy of its files', async () => {
    await openMarket()
    await start('the files')
    await start('the files')
    expect(await rewinds()).toEqual([])
    await start('a copy')
    expect(await rewinds()).toEqual(['restored'])
    expect(await isPaused()).toBe(true)
  })

  it('goes back once, however many servers miss what they had read', async () => {
    await openMarket()
    const { rows } = (await query('select (extract(epoch from now()) * 1000000)::bigint as at')) as { rows: { at: bigint }[] }
    const lostAt = rows[0]!.at
    await recordRewind({ database, log }, { cause: 'lost', lostAt })
    await recordRewind({ database, log }, { cause: 'lost', lostAt })
    expect(await rewinds()).toEqual(['lost'])
    await query(`update rewinds set ended_at = now(), ended_by = 'a clean recovery'`)
    // A server that was cut off misses the same events.
    await recordRewind({ database, log }, { cause: 'lost', lostAt })
    expect(await isPaused()).toBe(false)
    await recordRewind({ database, log }, { cause: 'lost', lostAt: lostAt + 3_600_000_000n })
    expect(await rewinds()).toEqual(['lost', 'lost'])
    expect(await isPaused()).toBe(true)
  })
})

describe('a running server', { timeout: 60_000 }, () => {
  it('that finds all it has read after a fail-over opens the market at once', async () => {
    await openMarket()
    await startServer()
    await query(emission, [null, 'kept'])
    await becomeAnother()
    await expect.poll(isPaused, waiting).toBe(false)
    expect(await rewinds()).toEqual([])
    expect(about('nothing is missing')).not.toHaveLength(0)
  })

  it('that misses what it has read pauses the market, and no call opens it', async () => {
    await openMarket()
    await start()
    const failures = createFailureLog(log)
    const feed = createEventFeed(database, {
      log,
      failures,
      onLoss: (lostAt) => recordRewind({ database, log }, { cause: 'lost', lostAt }),
    })
    const seen: string[] = []
    feed.subscribe({ onEvents: (events) => void seen.push(...events.map(({ json }) => json)), onReset: () => undefined })
    onTestFinished(feed.start())
    await query(emission, [null, 'kept'])
    await query(emission, [null, 'lost'])
    await expect.poll(() => seen.join(), waiting).toContain('lost')
    expect(await feed.hasLost()).toBe(false)
    await query(`delete from events where data->>'name' = 'lost'`)
    await expect.poll(isPaused, waiting).toBe(true)
    expect(await rewinds()).toEqual(['lost'])
    expect(await recordResumption(database, { actor: 'root' })).toMatchObject({ message: expect.stringContaining('being checked') })
    expect(await isPaused()).toBe(true)
  })

  it('accepts a fail-over of which another server has said that nothing is missing', async () => {
    await openMarket()
    await startServer()
    await becomeAnother()
    await saveIdentity(database)
    await start()
    expect(await rewinds()).toEqual([])
  })
})
