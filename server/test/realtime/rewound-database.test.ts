import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startTcpProxy } from '../../chaos/stack/tcp-proxy.ts'
import { connectDatabase, type DatabaseConnection } from '../../src/database/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/postgres/postgres.ts'
import { startPrimaryAndStandby } from '../database/primary-and-standby.ts'
import { collectLog } from '../logging/collected-log.ts'
import { emission, type LiveServer, openLiveWorld, readStream, startLiveServer, waiting } from './live-world.ts'

const migrations = new URL('../../migrations', import.meta.url).pathname

async function startLoggedServer(connection: DatabaseConnection) {
  const collected = collectLog()
  return { ...collected, server: await startLiveServer(connection, { log: collected.log }) }
}

/** With owners: PostgreSQL reads no files of another user. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])
const types = ({ seen }: { seen(): { type: string }[] }) => seen().map(({ type }) => type)

describe('events that are lost and whose numbers are given to others', () => {
  let world: Awaited<ReturnType<typeof openLiveWorld>>
  let one: Awaited<ReturnType<typeof startLoggedServer>>
  beforeAll(async () => {
    world = await openLiveWorld()
    one = await startLoggedServer(world.connection)
  })
  afterAll(async () => {
    await one.server.stop()
    await world.close()
  })

  it('are told to every stream, and to whoever comes back with their ids', async () => {
    const streams = await Promise.all([readStream(one.server), readStream(one.server)])
    for (const name of ['kept', 'lost 1', 'lost 2']) await world.emit(name)
    for (const stream of streams) await expect.poll(() => stream.names(), waiting).toEqual(['kept', 'lost 1', 'lost 2'])
    const [kept, , lost] = streams[0].seen().filter(({ name }) => name !== undefined)
    const [, lastId] = lost!.id.split('-')

    await world.connection.pool.query(`
      with gone as (delete from events where data->>'name' like 'lost%' returning xid, id)
      insert into events (id, xid, type, data) overriding system value
        select id, xid, 'listing.sold', json_build_object('type', 'listing.sold', 'name', 'another ' || id)
        from gone where id <> ${lastId}`)
    for (const stream of streams) await expect.poll(() => types(stream), waiting).toContain('reset')
    expect(one.about('no longer has events')).toMatchObject([{ level: 40, lost: 2, from: lost!.id }])

    // The newest event's own numbers, too, are now another's.
    await world.connection.pool.query(
      `insert into events (id, xid, type, data) overriding system value select ${lastId}, $1::text::xid8, 'listing.sold', '{"name":"reborn"}'`,
      [lost!.id.split('-')[0]],
    )
    for (const stream of streams) await expect.poll(() => stream.names().at(-1), waiting).toBe('reborn')
    const back = await readStream(one.server, { lastEventId: lost!.id })
    expect(types(back)).toEqual(['reset', 'ready'])
    const unharmed = await readStream(one.server, { lastEventId: kept!.id })
    expect(unharmed.names()).toHaveLength(2)
    expect(types(unharmed)).not.toContain('reset')
  })

  it('that are all the outbox had leave a feed that begins again', async () => {
    const stream = await readStream(one.server)
    await world.emit('the last one')
    await expect.poll(() => stream.names(), waiting).toEqual(['the last one'])
    await world.connection.pool.query('delete from events')
    await expect.poll(() => types(stream), waiting).toContain('reset')
    await world.emit('the first one')
    await expect.poll(() => stream.names().at(-1), waiting).toBe('the first one')
  })
})

describe('a stand-by that becomes the primary without the last commits', { timeout: 120_000 }, () => {
  it('resets every stream, and what happens on it from then on reaches all of them', async () => {
    const { primary, standby, stop } = await startPrimaryAndStandby()
    onTestFinished(stop)
    const proxy = await startTcpProxy(primary.url)
    const connection = connectDatabase(proxy.url, () => undefined)
    const { server, about } = await startLoggedServer(connection)
    onTestFinished(async () => {
      await server.stop()
      await connection.close()
      await proxy.cut()
    })
    const stream = await readStream(server)
    await primary.run(emission, [null, 'kept'])
    await expect.poll(() => standby.run('select from events'), waiting).toHaveLength(1)
    await standby.run(`alter system set primary_conninfo = ''`)
    await standby.run('select pg_reload_conf()')
    await expect.poll(() => standby.run('select from pg_stat_wal_receiver'), waiting).toHaveLength(0)
    for (let index = 0; index < 40; index++) await primary.run(emission, [null, `lost ${index}`])
    await expect.poll(() => stream.names().at(-1), waiting).toBe('lost 39')
    const lastEventId = stream.seen().at(-1)!.id

    await standby.run('select pg_promote()')
    proxy.moveTo(standby.url)
    proxy.reset()
    await standby.run(emission, [null, 'new'])
    await expect.poll(() => types(stream), waiting).toContain('reset')
    for (let index = 0; index < 40; index++) await standby.run(emission, [null, `new ${index}`])
    await expect.poll(() => stream.names().slice(-40), waiting).toEqual(Array.from({ length: 40 }, (_, index) => `new ${index}`))
    const [reused] = await standby.run<{ count: number }>('select count(*)::int from events where xid::text = $1', [
      lastEventId.split('-')[0],
    ])
    expect(reused).toEqual({ count: 1 })
    expect(about('no longer has events')).toMatchObject([{ level: 40, lost: 40, formerTimeline: '00000001', timeline: '00000002' }])
    expect(types(await readStream(server, { lastEventId }))).toEqual(['reset', 'ready'])
  })
})

describe('a real PostgreSQL under a running server', { timeout: 120_000 }, () => {
  let folder: string
  let cluster: string
  let postgres: EmbeddedPostgres
  let connection: DatabaseConnection
  let one: Awaited<ReturnType<typeof startLoggedServer>>
  const log = pino({ level: 'silent' })
  const start = async () => void (postgres = await startEmbeddedPostgres({ dataDir: folder, log }))
  const emit = (name: string) => withClient((client) => client.query(emission, [null, name]))

  async function withClient<T>(run: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    try {
      return await run(client)
    } finally {
      await client.end()
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'juicebar-rewound-'))
    await start()
    connection = connectDatabase(postgres.url, () => undefined)
    await migrate(connection.pool, migrations)
    cluster = await withClient(async (client) => String((await client.query('show data_directory')).rows[0].data_directory))
    one = await startLoggedServer(connection)
  }, 120_000)
  afterAll(async () => {
    await one.server.stop()
    await connection.close()
    await postgres.stop()
    await Promise.all([folder, `${cluster}-copy`].map((path) => rm(path, { recursive: true, force: true })))
  })

  it('that is restored to an earlier state resets every stream, and loses none of what comes after', async () => {
    await emit('before the backup')
    const { files } = postgres
    await postgres.stop()
    await copy(cluster, `${cluster}-copy`)
    await start()
    expect(postgres.files).toBe(files)
    const stream = await readStreamSoon(one.server)
    for (let index = 0; index < 40; index++) await emit(`lost ${index}`)
    await expect.poll(() => stream.names().length, waiting).toBeGreaterThanOrEqual(40)
    const lastEventId = stream.seen().at(-1)!.id

    await postgres.stop()
    await rm(cluster, { recursive: true })
    await copy(`${cluster}-copy`, cluster)
    await start()
    expect(postgres.files).not.toBe(files)
    await emit('new 0')
    await expect.poll(() => types(stream), waiting).toContain('reset')
    for (const name of ['new 1', 'new 2']) await emit(name)
    await expect.poll(() => stream.names().slice(-2), waiting).toEqual(['new 1', 'new 2'])
    expect(one.about('no longer has events')).toHaveLength(1)
    expect(types(await readStream(one.server, { lastEventId })).slice(0, 2)).toEqual(['reset', 'ready'])
  })

  it('that fails over without a loss resets no stream', async () => {
    const stream = await readStreamSoon(one.server)
    await failOver()
    await emit('after it')
    await expect.poll(() => stream.names(), waiting).toEqual(['after it'])
    await expect.poll(() => one.about('has failed over'), waiting).toMatchObject([{ level: 30, former: '00000001', timeline: '00000002' }])
    expect(types(stream)).not.toContain('reset')
  })

  it('that fails over and keeps the newest event but not those around it resets every stream', async () => {
    const stream = await readStreamSoon(one.server)
    await emit('lost')
    await emit('newest')
    await expect.poll(() => stream.names(), waiting).toEqual(['lost', 'newest'])
    await failOver(`delete from events where data->>'name' = 'lost'`)
    await expect.poll(() => types(stream), waiting).toContain('reset')
    expect(one.about('no longer has events').at(-1)).toMatchObject({ lost: 1, formerTimeline: '00000002', timeline: '00000003' })
  })

  /** What a stand-by does that becomes the primary: recovers, and begins a new timeline. */
  async function failOver(loss = 'select 1'): Promise<void> {
    await withClient((client) => client.query(loss))
    await postgres.stop()
    await writeFile(join(cluster, 'standby.signal'), '')
    await start()
    await withClient((client) => client.query('select pg_promote()'))
  }

  /** A server that has just lost its database opens no stream until it has read it again. */
  async function readStreamSoon(server: LiveServer) {
    await expect
      .poll(
        () =>
          connection.probe().then(
            () => true,
            () => false,
          ),
        waiting,
      )
      .toBe(true)
    return readStream(server)
  }
})
