import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { readEvents, readHead } from '../../src/realtime/outbox-store.ts'
import { openLiveWorld } from './live-world.ts'

let world: Awaited<ReturnType<typeof openLiveWorld>>
beforeAll(async () => {
  world = await openLiveWorld()
})
afterAll(() => world.close())

describe('the outbox', () => {
  it('is ordered by number, not by digits', async () => {
    await world.connection.pool.query(
      `insert into events (xid, type, data) select n::text::xid8, 'listing.sold', '{}' from unnest(array[8, 9, 10, 98, 99, 100]) n`,
    )
    const { database } = world.connection
    const events = await readEvents(database, { xid: '8', id: 0n }, 4)
    expect(events.map(({ xid }) => xid)).toEqual(['8', '9', '10', '98'])
    expect(await readHead(database)).toMatchObject({ xid: '100' })
  })
})
