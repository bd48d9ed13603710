import { setMaxListeners } from 'node:events'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createChain } from '../../../src/chain/client/solana-chain.ts'
import { connectDatabase, type Database } from '../../../src/database/connect.ts'
import { createFailureLog } from '../../../src/runtime/outage.ts'
import { createEventFeed } from '../../../src/realtime/poll-outbox.ts'
import { createCoSigners } from '../../../src/purchases/purchase/co-signer.ts'
import { createReferences } from '../../../src/purchases/purchase/reference.ts'
import { findPause } from '../../../src/restrictions/restriction-store.ts'
import { continueRecovery, acceptRecovery, requestRecovery, requireRecovery } from '../../../src/studio/recovery/continue-recovery.ts'
import { recoveryReply } from '../../../src/studio/recovery/recovery.ts'
import { checkIdentity, recordRewind } from '../../../src/studio/recovery/check-identity.ts'
import { saveIdentity } from '../../../src/studio/recovery/rewind-store.ts'
import { recordResumption } from '../../../src/studio/record-restrictions.ts'
import { collectLog } from '../../runtime/collected-log.ts'
import { emission } from '../../realtime/live-world.ts'
import { waiting } from '../../purchases/trading-world.ts'
import { defaultCatalogue } from '../../support/catalogue.ts'
import { freshDatabase } from '../../support/fresh-database.ts'
import { startApp } from '../../support/start-app.ts'

let url: string
let database: Database
let query: (sql: string, values?: unknown[]) => Promise<unknown>
const { log, about } = collectLog()

/** Each test has an empty market of its own. */
beforeEach(async () => {
  const fresh = await freshDatabase()
  const connection = connectDatabase(fresh.url, () => undefined)
  url = fresh.url
  database = connection.database
  query = (sql, values) => connection.pool.pg.query(sql, values)
  onTestFinished(async () => {
    await connection.close()
    await fresh.drop()
  })
})

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
    await start()
    expect(await isPaused()).toBe(false)
    await start()
    expect(await rewinds()).toEqual([])
  })

  it('that is another one than before sells nothing, even before a server has said why', async () => {
    await start()
    await becomeAnother()
    expect(await isPaused()).toBe(true)
    const { rows } = (await query(`select refusal from restriction_of('anybody')`)) as { rows: { refusal: string }[] }
    expect(rows).toEqual([{ refusal: 'PAUSED' }])
  })

  it('is recognised by what every user of it may know', async () => {
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
    await start()
    await becomeAnother()
    await start()
    expect(await rewinds()).toEqual(['restored'])
    expect(await isPaused()).toBe(true)
    await start()
    expect(await rewinds()).toEqual(['restored'])
  })

  it('that is built in is told from a copy of its files', async () => {
    await start('the files')
    await start('the files')
    expect(await rewinds()).toEqual([])
    await start('a copy')
    expect(await rewinds()).toEqual(['restored'])
    expect(await isPaused()).toBe(true)
  })

  it('goes back once, however many servers miss what they had read', async () => {
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
    await startServer()
    await query(emission, [null, 'kept'])
    await becomeAnother()
    await expect.poll(isPaused, waiting).toBe(false)
    expect(await rewinds()).toEqual([])
    expect(about('nothing is missing')).not.toHaveLength(0)
  })

  it('that misses what it has read pauses the market, and no call opens it', async () => {
    await start()
    const onLoss = (lostAt: bigint) => recordRewind({ database, log }, { cause: 'lost', lostAt })
    const feed = createEventFeed(database, { log, failures: createFailureLog(log), onLoss })
    const seen: string[] = []
    feed.subscribe({ onEvents: (events) => void seen.push(...events.map(({ json }) => json)), onReset: () => undefined })
    onTestFinished(feed.start())
    // It tells what is written from then on.
    await expect.poll(() => feed.position(), waiting).toBeDefined()
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
    await startServer()
    await becomeAnother()
    await saveIdentity(database)
    await start()
    expect(await rewinds()).toEqual([])
  })
})

it('a chain that does not answer leaves the market paused, until the studio accepts it with a reason', async () => {
  const chain = createChain({ endpoints: ['http://127.0.0.1:9'], log })
  onTestFinished(() => chain.stop())
  const settings = {
    settleAt: 'confirmed',
    holdSeconds: 60,
    networkHolds: 10,
    fee: { basisPoints: 0, wallet: undefined },
    coSign: true,
    walletSends: 'any',
  } as const
  const coSigners = createCoSigners(['r'.repeat(32)])
  const references = createReferences(['r'.repeat(32)])
  const deps = { database, chain, catalogue: defaultCatalogue, settings, references, coSigners, log, failures: createFailureLog(log) }
  const signal = AbortSignal.timeout(30_000)
  const request = () => requestRecovery(deps, { since: undefined, actor: 'root' })
  const recoverInVain = () => continueRecovery(deps, { signal, patience: { downMillis: 0, busyMillis: 0 } })
  const accept = (id: string) => acceptRecovery(database, { id, reason: 'There was nothing yet.', actor: 'ops' })

  const first = await request()
  expect((await request()).id).toBe(first.id)
  await expect(accept(first.id)).rejects.toMatchObject({ code: 'RECOVERY_NOT_ACCEPTABLE' })
  await recoverInVain()
  const outcome = { outcome: 'unchecked', marketPaused: true, casesOpened: 0 }
  expect(recoveryReply(await requireRecovery(database, first.id))).toMatchObject(outcome)
  expect(await isPaused()).toBe(true)

  const second = await request()
  expect(second).toMatchObject({ rewindId: first.rewindId })
  await recoverInVain()
  await expect(accept(first.id)).rejects.toMatchObject({ code: 'RECOVERY_NOT_ACCEPTABLE' })
  expect(await accept(second.id)).toMatchObject({ isPaused: false })
  expect(await isPaused()).toBe(false)

  // Somebody may pay with an old reference again and again.
  const third = await request()
  expect(await isPaused()).toBe(true)
  await recoverInVain()
  await database.updateTable('recoveries').set({ casesOpened: 1 }).where('id', '=', third.id).execute()
  expect(recoveryReply(await accept(third.id))).toMatchObject({ outcome: 'cases', marketPaused: false })
  expect(await isPaused()).toBe(false)
  const entries = await database.selectFrom('studioLog').select(['actor', 'call', 'subject', 'reason']).orderBy('id').execute()
  expect(entries).toEqual([
    { actor: 'root', call: 'startRecovery', subject: first.id, reason: null },
    { actor: 'root', call: 'startRecovery', subject: second.id, reason: null },
    { actor: 'ops', call: 'acceptRecovery', subject: second.id, reason: 'There was nothing yet.' },
    { actor: 'root', call: 'startRecovery', subject: third.id, reason: null },
    { actor: 'ops', call: 'acceptRecovery', subject: third.id, reason: 'There was nothing yet.' },
  ])
  await expect(accept('no id')).rejects.toMatchObject({ code: 'RECOVERY_NOT_FOUND' })
})
