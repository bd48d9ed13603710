import pg from 'pg'
import { describe, expect } from 'vitest'
import { readEvents, readHead } from '../../src/realtime/outbox-store.ts'
import { purgeOutbox } from '../../src/realtime/poll-outbox.ts'
import { it as base } from './live-world.ts'

/** Empty at first. */
const it = base.extend('outbox', async ({ world: { query, connection } }) => {
  await query('truncate events')
  return {
    purge: () => purgeOutbox(connection.database, new AbortController().signal, 1_000),
    names: async () => (await query(`select data->>'name' as name from events order by xid, id`)).map(({ name }) => name),
    emitAged: (name: string, age: string, count = 1) =>
      query(`insert into events (type, data, created_at)
        select 'listing.sold', json_build_object('name', '${name}'), now() - interval '${age}' from generate_series(1, ${count})`),
  }
})

describe('the outbox', () => {
  it('is ordered by number, not by digits', async ({ world }) => {
    await world.query(
      `insert into events (xid, type, data) select n::text::xid8, 'listing.sold', '{}' from unnest(array[8, 9, 10, 98, 99, 100]) n`,
    )
    const { database } = world.connection
    const events = await readEvents(database, { xid: '8', id: 0n, at: 0n }, 4)
    expect(events.map(({ xid }) => xid)).toEqual(['8', '9', '10', '98'])
    expect(await readHead(database)).toMatchObject({ xid: '100' })
  })
})

describe('purging the outbox', () => {
  it('keeps up with however many came, and deletes none that a stream may still need', async ({ outbox: { purge, names, emitAged } }) => {
    await emitAged('old', '2 hours', 12_345)
    await emitAged('the newest of the old', '90 minutes')
    await emitAged('recent', '59 minutes')
    expect(await purge()).toBe(12_345)
    expect(await names()).toEqual(['the newest of the old', 'recent'])
    expect(await purge()).toBe(0)
  })

  it('leaves the position of a server where nothing happened for hours, until long after the next event', async ({
    outbox: { purge, names, emitAged },
  }) => {
    await emitAged('long ago', '5 hours')
    expect(await purge()).toBe(0)
    await emitAged('just now', '0 seconds')
    expect(await purge()).toBe(0)
    expect(await names()).toEqual(['long ago', 'just now'])
  })

  it('is shared by several servers, which never wait for each other', async ({ outbox: { purge, emitAged }, world }) => {
    await emitAged('old', '2 hours', 20_000)
    await emitAged('newest', '1 minute')
    await emitAged('the newest of the old', '90 minutes')
    const slow = new pg.Client({ connectionString: world.url })
    await slow.connect()
    await slow.query('begin')
    await slow.query(`select from events where data->>'name' = 'old' order by id limit 500 for update`)
    const purged = await Promise.all([purge(), purge(), purge()])
    expect(purged.reduce((sum, count) => sum + count)).toBe(19_500)
    await slow.query('rollback')
    await slow.end()
    expect(await purge()).toBe(500)
  })
})
