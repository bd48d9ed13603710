import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { describe, expect, onTestFinished } from 'vitest'
import { type DatabaseConnection } from '../../src/database/connect.ts'
import { randomWallet } from '../market/market-world.ts'
import { type EventFeed, type FeedListener } from '../../src/realtime/poll-outbox.ts'
import { MAX_READERS_PER_ADDRESS } from '../../src/realtime/broadcast-events.ts'
import { parsePosition, renderFrame } from '../../src/realtime/event-frame.ts'
import { readEvents } from '../../src/realtime/outbox-store.ts'
import { emission, it, openLiveWorld, openSocket, startLiveServer, waiting } from './live-world.ts'

describe('events', () => {
  it('reach the readers of every server, in one order', async ({ world, one, other, readStream }) => {
    const streams = await Promise.all([readStream(one), readStream(other), readStream(other)])
    const names = Array.from({ length: 20 }, (_, index) => `both ${index}`)
    await Promise.all(names.map((name) => world.emit(name)))
    await expect.poll(() => streams.map((stream) => stream.names().length), waiting).toEqual([20, 20, 20])
    const [first, ...others] = streams.map((stream) => stream.names())
    expect(first!.toSorted()).toEqual(names.toSorted())
    for (const order of others) expect(order).toEqual(first)
  })

  it('that commit out of order reach every reader', async ({ world, one, other, readStream }) => {
    const streams = await Promise.all([readStream(one), readStream(other)])
    const slow = new pg.Client({ connectionString: world.url })
    await slow.connect()
    await slow.query('begin')
    await slow.query(emission, [null, 'began first'])
    await world.emit('committed first')
    const returning = await readStream(one, { lastEventId: streams[0].lastId() })
    await slow.query('commit')
    await slow.end()
    for (const stream of [...streams, returning]) {
      await expect.poll(stream.names, waiting).toEqual(['began first', 'committed first'])
    }
  })

  it('come as an event stream that no cache or proxy stores', async ({ one, readStream }) => {
    const head = (await readStream(one)).head().toLowerCase()
    expect(head).toContain('200 ok')
    for (const header of [
      'content-type: text/event-stream',
      'cache-control: no-store',
      'x-accel-buffering: no',
      'content-security-policy: ',
    ]) {
      expect(head).toContain(header)
    }
  })
})

describe('a reader that reconnects', () => {
  it('gets what it missed from any server, and nothing twice', async ({ world, one, other, readStream }) => {
    const before = await readStream(one)
    await world.emit('seen')
    await expect.poll(() => before.names().at(-1), waiting).toBe('seen')
    before.close()
    await world.emit('missed 1')
    await world.emit('missed 2')
    const back = await readStream(other, { lastEventId: before.lastId() })
    await world.emit('new')
    await expect.poll(back.names, waiting).toEqual(['missed 1', 'missed 2', 'new'])
  })

  it('gets nothing twice if the server has not yet read what the reader already knows', async ({ world, one, readStream }) => {
    const late = createLateFeed(world.connection)
    const server = await startLiveServer(world.connection, { feed: late.feed })
    onTestFinished(server.stop)
    const there = await readStream(one)
    await world.emit('known')
    // This server may first have to catch up with the events of earlier tests.
    await expect.poll(() => there.names().at(-1), waiting).toBe('known')
    const known = there.lastId()
    const [back, early] = await Promise.all([
      readStream(server, { lastEventId: known }),
      readStream(server, { lastEventId: known }),
      late.read(),
    ])
    for (const { seen } of [back, early]) expect(seen()).toEqual([{ id: known, type: 'ready', name: undefined }])
    await world.emit('unknown')
    await expect.poll(() => there.names().slice(-2), waiting).toEqual(['known', 'unknown'])
    await late.read()
    await expect.poll(back.names, waiting).toEqual(['unknown'])
  })

  it.for(['1-1-1', '18446744073709551615-9223372036854775807-9223372036854775807', '1-1', 'garbage', '1-1-1, 1-1-1', '-1'])(
    'with the unknown id %s is told to reset',
    async (lastEventId, { world, one, readStream }) => {
      const back = await readStream(one, { lastEventId })
      expect(back.types()).toEqual(['reset', 'ready'])
      await world.emit('after the reset')
      await expect.poll(back.names, waiting).toEqual(['after the reset'])
    },
  )

  it('is told when to, and not all readers the same time', async ({ one, readStream }) => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => readStream(one)))
    const waits = streams.map((stream) => stream.retry())
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000)
    expect(Math.max(...waits)).toBeLessThan(9_000)
    expect(new Set(waits).size).toBeGreaterThan(10)
  })

  it('after more than a thousand events is told to reset', async ({ world, one, readStream }) => {
    const before = await readStream(one)
    const lastEventId = before.lastId()
    await world.query(`select emit_event('listing.sold', null, json_build_object('name', n)) from generate_series(1, 1001) n`)
    await expect.poll(() => before.names().length, waiting).toBe(1001)
    const back = await readStream(one, { lastEventId })
    expect(back.types()).toContain('reset')
  })

  /** A feed that reads only when told to. */
  function createLateFeed({ database }: DatabaseConnection) {
    const listeners = new Set<FeedListener>()
    let position = parsePosition('0-0-0')!
    const feed: EventFeed = {
      position: () => position,
      hasLost: async () => false,
      age: () => 0,
      subscribe: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      start: () => async () => undefined,
    }
    const read = async () => {
      const events = (await readEvents(database, position, 10_000)).map((event) => ({ ...event, frame: renderFrame(event) }))
      position = events.at(-1)!
      for (const listener of listeners) listener.onEvents(events)
    }
    return { feed, read }
  }
})

describe('a stream whose past cannot be read', () => {
  it('is closed, so that its reader comes back, and is told in one line as what it is', async ({ world }) => {
    const { stop, lines, ...server } = await startLiveServer(world.connection)
    await world.query('alter table events rename to events_away')
    const socket = await openSocket(server, { lastEventId: '1-1-1' })
    await once(socket.resume(), 'close')
    await world.query('alter table events_away rename to events')
    await stop()
    expect(lines.filter(({ level, msg }) => level > 30 && !msg.includes('outbox'))).toMatchObject([
      { level: 50, msg: 'an event stream could not be opened; its reader comes back' },
    ])
  })
})

describe('a slow reader', () => {
  it('is disconnected, delays nobody, and is told to reset when it reconnects', async ({ world, one, other, readStream }) => {
    const before = await readStream(one)
    const lastEventId = before.lastId()
    before.close()
    const quick = await readStream(one)
    const slow = await openSocket(one)
    await expect.poll(() => one.readers.count(), waiting).toBeGreaterThan(1)
    let disconnected = false
    slow
      .pause()
      .on('close', () => (disconnected = true))
      .on('error', () => undefined)
    const padding = 'x'.repeat(20_000)
    const padded = (stream: typeof quick) => stream.names().filter((name) => name === padding).length
    // Each hundred in one batch, and never two on their way: on a busy machine the quick one, too, reads late.
    for (let sent = 100; sent <= 600; sent += 100) {
      await world.query(`${emission} from generate_series(1, 100)`, [null, padding])
      await expect.poll(() => padded(quick), waiting).toBe(sent)
    }
    slow.resume()
    await expect.poll(() => disconnected, waiting).toBe(true)
    const back = await readStream(other, { lastEventId })
    expect(back.types().slice(0, 2)).toEqual(['reset', 'ready'])
  })
})

describe('many events at once', () => {
  it('disconnect no reader', async ({ world, one, readStream }) => {
    const reader = await readStream(one)
    const padding = 'y'.repeat(20_000)
    await world.query(`${emission} from generate_series(1, 500)`, [null, padding])
    await expect.poll(() => reader.names().filter((name) => name === padding).length, waiting).toBe(500)
  })
})

// At the same time: the last two wait for checks of sessions, which are seconds apart.
describe.concurrent('too many streams', () => {
  it.for([
    ['one address', () => '192.0.2.1', '192.0.2.2'],
    ['one IPv6 network', (index: number) => `2001:db8:0:1::${index.toString(16)}`, '2001:db8:0:2::1'],
  ] as const)('of %s are refused, until one of them ends', async ([_what, addressOf, stranger], { world, expect, onTestFinished }) => {
    const server = await startLiveServer(world.connection)
    onTestFinished(server.stop)
    const ask = async (address: string) => {
      const socket = await openSocket(server, { address })
      const [head]: Buffer[] = await once(socket, 'data')
      return { socket, answer: head?.toString() ?? '' }
    }
    const streams: Awaited<ReturnType<typeof ask>>[] = []
    // No more at once than a system lets wait: it would drop the others, to be asked for again after a second.
    while (streams.length < MAX_READERS_PER_ADDRESS)
      streams.push(...(await Promise.all(Array.from({ length: 250 }, (_, index) => ask(addressOf(streams.length + index))))))
    for (const { answer } of streams) expect(answer).toContain('200 OK')
    const refused = await ask(addressOf(MAX_READERS_PER_ADDRESS))
    expect(refused.answer).toContain('429 Too Many Requests')
    expect(refused.answer).toContain('"code":"TOO_MANY_REQUESTS"')
    expect((await ask(stranger)).answer).toContain('200 OK')
    streams[0]!.socket.destroy()
    await expect.poll(() => server.readers.count(), waiting).toBe(MAX_READERS_PER_ADDRESS)
    expect((await ask(addressOf(0))).answer).toContain('200 OK')
  })
})

describe.concurrent('a private stream', () => {
  it("carries its own wallet's private events only, and ends with its session", async ({ expect, world, one, readStream }) => {
    const [mine, theirs] = [await world.signIn(), randomWallet()]
    const own = await readStream(one, mine)
    const visitor = await readStream(one)
    await world.emit('mine', [mine.wallet, randomWallet()])
    await world.emit('theirs', [theirs])
    await world.emit('for all')
    await expect.poll(own.names, waiting).toEqual(['mine', 'for all'])
    expect(visitor.names()).toEqual(['for all'])
    await mine.logOut()
    await expect.poll(own.hasEnded, waiting).toBe(true)
    expect(visitor.hasEnded()).toBe(false)
    await world.emit('later')
    await expect.poll(visitor.names, waiting).toEqual(['for all', 'later'])
  })

  it('is none if its reader is gone while its session is looked up', async ({ expect, world, readStream }) => {
    let isGone = false
    const server = await startLiveServer(world.connection, {
      onLookup: async () => {
        client.destroy()
        await expect.poll(() => server.connections(), waiting).toBe(0)
        isGone = true
      },
    })
    onTestFinished(server.stop)
    const { token } = await world.signIn()
    const client = connect(server.port, '127.0.0.1')
    client.write(`GET /api/marketplace/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    await expect.poll(() => isGone, waiting).toBe(true)
    await readStream(server)
    expect(server.readers.count()).toBe(1)
  })

  it('survives that sessions cannot be checked for a moment, and still ends with its session', async ({
    expect,
    readStream,
    onTestFinished,
  }) => {
    const world = await openLiveWorld()
    const server = await startLiveServer(world.connection)
    onTestFinished(() => server.stop().then(world.close))
    const session = await world.signIn()
    const own = await readStream(server, session)
    await world.query('alter table sessions rename to sessions_away')
    await expect.poll(server.failedChecks, waiting).toBeGreaterThan(1)
    await world.emit('meanwhile')
    await expect.poll(own.names, waiting).toEqual(['meanwhile'])
    await world.query('alter table sessions_away rename to sessions')
    expect(own.hasEnded()).toBe(false)
    await session.logOut()
    await expect.poll(own.hasEnded, waiting).toBe(true)
  })
})
