import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { describe, expect, onTestFinished } from 'vitest'
import { startTcpProxy } from '../../chaos/stack/tcp-proxy.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { startPrimaryAndStandby } from '../database/primary-and-standby.ts'
import { migrationsFolder } from '../support/migrations-folder.ts'
import { emission, it as base, startLiveServer, waiting } from './live-world.ts'

/** With owners: PostgreSQL reads no files of another user. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])
/** Events in as many transactions. */
const emitForty = (name: string) => `do $$ begin
  for n in 0..39 loop
    perform emit_event('listing.sold', null, json_build_object('type', 'listing.sold', 'name', '${name} ' || n));
    commit;
  end loop;
end $$`
const namesOfForty = (name: string) => Array.from({ length: 40 }, (_, index) => `${name} ${index}`)

/** A PostgreSQL of its own under a running server, whose files may be changed while it is stopped. */
const it = base.extend('postgres', { scope: 'file' }, async ({}, { onCleanup }) => {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-rewound-'))
  const start = () => startEmbeddedPostgres({ dataDir: folder, log: pino({ level: 'silent' }) })
  let postgres = await start()
  const run = async (sql: string, values?: unknown[]) => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    try {
      return await client.query(sql, values)
    } finally {
      await client.end()
    }
  }
  const connection = connectDatabase(postgres.url, () => undefined)
  await migrate(connection.pool, migrationsFolder)
  const cluster = String((await run('show data_directory')).rows[0].data_directory)
  const server = await startLiveServer(connection)
  onCleanup(async () => {
    await server.stop()
    await connection.close()
    await postgres.stop()
    await Promise.all([folder, `${cluster}-copy`].map((path) => rm(path, { recursive: true, force: true })))
  })
  const restart = async (meanwhile: () => Promise<unknown>) => {
    await postgres.stop()
    await meanwhile()
    postgres = await start()
  }
  return {
    cluster,
    server,
    run,
    restart,
    files: () => postgres.files,
    emit: (name: string) => run(emission, [null, name]),
    /** What a stand-by does that becomes the primary: recovers, and begins a new timeline. */
    failOver: async () => {
      await restart(() => writeFile(join(cluster, 'standby.signal'), ''))
      await run('select pg_promote()')
    },
    /** A server that has just lost its database opens no stream until it has read it again. */
    isRead: () =>
      connection.probe().then(
        () => true,
        () => false,
      ),
  }
})

describe('events that are lost and whose numbers are given to others', () => {
  it('are told to every stream, and to whoever comes back with their ids', async ({ world, one, readStream }) => {
    const streams = await Promise.all([readStream(one), readStream(one)])
    for (const name of ['kept', 'lost 1', 'lost 2']) await world.emit(name)
    for (const stream of streams) await expect.poll(stream.names, waiting).toEqual(['kept', 'lost 1', 'lost 2'])
    const [kept, , lost] = streams[0].seen().filter(({ name }) => name !== undefined)
    const [, lastId] = lost!.id.split('-')

    await world.query(`
      with gone as (delete from events where data->>'name' like 'lost%' returning xid, id)
      insert into events (id, xid, type, data) overriding system value
        select id, xid, 'listing.sold', json_build_object('type', 'listing.sold', 'name', 'another ' || id)
        from gone where id <> ${lastId}`)
    for (const stream of streams) await expect.poll(stream.types, waiting).toContain('reset')
    expect(one.about('no longer has events')).toMatchObject([{ level: 40, lost: 2, from: lost!.id }])

    // The newest event's own numbers, too, are now another's.
    await world.query(
      `insert into events (id, xid, type, data) overriding system value select ${lastId}, $1::text::xid8, 'listing.sold', '{"name":"reborn"}'`,
      [lost!.id.split('-')[0]],
    )
    for (const stream of streams) await expect.poll(() => stream.names().at(-1), waiting).toBe('reborn')
    const back = await readStream(one, { lastEventId: lost!.id })
    expect(back.types()).toEqual(['reset', 'ready'])
    const unharmed = await readStream(one, { lastEventId: kept!.id })
    expect(unharmed.names()).toHaveLength(2)
    expect(unharmed.types()).not.toContain('reset')
  })

  it('that are all the outbox had leave a feed that begins again', async ({ world, one, readStream }) => {
    const stream = await readStream(one)
    await world.emit('the last one')
    await expect.poll(stream.names, waiting).toEqual(['the last one'])
    await world.query('delete from events')
    await expect.poll(stream.types, waiting).toContain('reset')
    await world.emit('the first one')
    await expect.poll(() => stream.names().at(-1), waiting).toBe('the first one')
  })
})

describe('a stand-by that becomes the primary without the last commits', { timeout: 120_000 }, () => {
  it('resets every stream, and what happens on it from then on reaches all of them', async ({ readStream }) => {
    const { primary, standby, stop } = await startPrimaryAndStandby()
    onTestFinished(stop)
    const proxy = await startTcpProxy(primary.url)
    const connection = connectDatabase(proxy.url, () => undefined)
    const server = await startLiveServer(connection)
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
    await primary.run(emitForty('lost'))
    await expect.poll(() => stream.names().at(-1), waiting).toBe('lost 39')
    const lastEventId = stream.lastId()

    await standby.run('select pg_promote()')
    proxy.moveTo(standby.url)
    proxy.reset()
    await standby.run(emission, [null, 'new'])
    await expect.poll(stream.types, waiting).toContain('reset')
    await standby.run(emitForty('new'))
    await expect.poll(() => stream.names().slice(-40), waiting).toEqual(namesOfForty('new'))
    const [reused] = await standby.run<{ count: number }>('select count(*)::int from events where xid::text = $1', [
      lastEventId.split('-')[0],
    ])
    expect(reused).toEqual({ count: 1 })
    expect(server.about('no longer has events')).toMatchObject([{ level: 40, lost: 40, formerTimeline: '00000001', timeline: '00000002' }])
    expect((await readStream(server, { lastEventId })).types()).toEqual(['reset', 'ready'])
  })
})

describe('a real PostgreSQL under a running server', { timeout: 120_000 }, () => {
  it('that is restored to an earlier state resets every stream, and loses none of what comes after', async ({ postgres, readStream }) => {
    const { cluster, server, emit, restart, files } = postgres
    await emit('before the backup')
    const before = files()
    await restart(() => copy(cluster, `${cluster}-copy`))
    expect(files()).toBe(before)
    await expect.poll(postgres.isRead, waiting).toBe(true)
    const stream = await readStream(server)
    await postgres.run(emitForty('lost'))
    await expect.poll(() => stream.names().length, waiting).toBeGreaterThanOrEqual(40)
    const lastEventId = stream.lastId()

    await restart(async () => {
      await rm(cluster, { recursive: true })
      await copy(`${cluster}-copy`, cluster)
    })
    expect(files()).not.toBe(before)
    await emit('new 0')
    await expect.poll(stream.types, waiting).toContain('reset')
    for (const name of ['new 1', 'new 2']) await emit(name)
    await expect.poll(() => stream.names().slice(-2), waiting).toEqual(['new 1', 'new 2'])
    expect(server.about('no longer has events')).toHaveLength(1)
    expect((await readStream(server, { lastEventId })).types().slice(0, 2)).toEqual(['reset', 'ready'])
  })

  it('that fails over without a loss resets no stream', async ({ postgres, readStream }) => {
    const { server, emit, failOver } = postgres
    await expect.poll(postgres.isRead, waiting).toBe(true)
    const stream = await readStream(server)
    await failOver()
    await emit('after it')
    await expect.poll(stream.names, waiting).toEqual(['after it'])
    await expect
      .poll(() => server.about('has failed over'), waiting)
      .toMatchObject([{ level: 30, former: '00000001', timeline: '00000002' }])
    expect(stream.types()).not.toContain('reset')
  })

  it('that fails over and keeps the newest event but not those around it resets every stream', async ({ postgres, readStream }) => {
    const { server, emit, run, failOver } = postgres
    await expect.poll(postgres.isRead, waiting).toBe(true)
    const stream = await readStream(server)
    await emit('lost')
    await emit('newest')
    await expect.poll(stream.names, waiting).toEqual(['lost', 'newest'])
    await run(`delete from events where data->>'name' = 'lost'`)
    await failOver()
    await expect.poll(stream.types, waiting).toContain('reset')
    expect(server.about('no longer has events').at(-1)).toMatchObject({ lost: 1, formerTimeline: '00000002', timeline: '00000003' })
  })
})
