import { base58 } from '@scure/base'
import { parseWalletAddress } from '@juicebar/contract/addresses'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { collectLog } from '../logging/collected-log.ts'
import { type EventFeed, type FeedListener } from '../../src/realtime/poll-outbox.ts'
import { MAX_READERS_PER_ADDRESS } from '../../src/realtime/broadcast-events.ts'
import { parsePosition, renderFrame } from '../../src/realtime/event-frame.ts'
import { readEvents } from '../../src/realtime/outbox-store.ts'
import { emission, type LiveServer, openLiveWorld, openSocket, readStream, startLiveServer, waiting } from './live-world.ts'

let world: Awaited<ReturnType<typeof openLiveWorld>>
let one: LiveServer
let other: LiveServer

beforeAll(async () => {
  world = await openLiveWorld()
  one = await startLiveServer(world.connection)
  other = await startLiveServer(world.connection)
})
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await world.close()
})

const wallet = () => parseWalletAddress(base58.encode(randomBytes(32)))!

describe('events', () => {
  it('reach the readers of every server, in one order', async () => {
    const streams = await Promise.all([readStream(one), readStream(other), readStream(other)])
    const names = Array.from({ length: 20 }, (_, index) => `both ${index}`)
    await Promise.all(names.map((name) => world.emit(name)))
    await expect.poll(() => streams.map((stream) => stream.names().length), waiting).toEqual([20, 20, 20])
    const [first, ...others] = streams.map((stream) => stream.names())
    expect(first!.toSorted()).toEqual(names.toSorted())
    for (const order of others) expect(order).toEqual(first)
  })

  it('that commit out of order reach every reader', async () => {
    const streams = await Promise.all([readStream(one), readStream(other)])
    const slow = new pg.Client({ connectionString: world.url })
    await slow.connect()
    await slow.query('begin')
    await slow.query(emission, [null, 'began first'])
    await world.emit('committed first')
    const returning = await readStream(one, { lastEventId: streams[0].seen().at(-1)!.id })
    await slow.query('commit')
    await slow.end()
    for (const stream of [...streams, returning]) {
      await expect.poll(() => stream.names(), waiting).toEqual(['began first', 'committed first'])
    }
  })

  it('come as an event stream that no cache or proxy stores', async () => {
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
  it('gets what it missed from any server, and nothing twice', async () => {
    const before = await readStream(one)
    await world.emit('seen')
    await expect.poll(() => before.names().at(-1), waiting).toBe('seen')
    before.close()
    await world.emit('missed 1')
    await world.emit('missed 2')
    const back = await readStream(other, { lastEventId: before.seen().at(-1)!.id })
    await world.emit('new')
    await expect.poll(() => back.names(), waiting).toEqual(['missed 1', 'missed 2', 'new'])
  })

  it('gets nothing twice if the server has not yet read what the reader already knows', async () => {
    const late = createLateFeed()
    const server = await startLiveServer(world.connection, { feed: late.feed })
    const there = await readStream(one)
    await world.emit('known')
    // This server may first have to catch up with the events of earlier tests.
    await expect.poll(() => there.names().at(-1), waiting).toBe('known')
    const known = there.seen().at(-1)!.id
    const [back, early] = await Promise.all([
      readStream(server, { lastEventId: known }),
      readStream(server, { lastEventId: known }),
      late.read(),
    ])
    for (const { seen } of [back, early]) expect(seen()).toEqual([{ id: known, type: 'ready', name: undefined }])
    await world.emit('unknown')
    await expect.poll(() => there.names().slice(-2), waiting).toEqual(['known', 'unknown'])
    await late.read()
    await expect.poll(() => back.names(), waiting).toEqual(['unknown'])
    await server.stop()
  })

  it.each(['1-1-1', '18446744073709551615-9223372036854775807-9223372036854775807', '1-1', 'garbage', '1-1-1, 1-1-1', '-1'])(
    'with the unknown id %s is told to reset',
    async (lastEventId) => {
      const back = await readStream(one, { lastEventId })
      expect(back.seen().map((event) => event.type)).toEqual(['reset', 'ready'])
      await world.emit('after the reset')
      await expect.poll(() => back.names(), waiting).toEqual(['after the reset'])
    },
  )

  it('is told when to, and not all readers the same time', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => readStream(one)))
    const waits = streams.map((stream) => stream.retry())
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000)
    expect(Math.max(...waits)).toBeLessThan(9_000)
    expect(new Set(waits).size).toBeGreaterThan(10)
  })

  it('after more than a thousand events is told to reset', async () => {
    const before = await readStream(one)
    const lastEventId = before.seen().at(-1)!.id
    await world.connection.pool.query(
      `select emit_event('listing.sold', null, json_build_object('name', n)) from generate_series(1, 1001) n`,
    )
    await expect.poll(() => before.names().length, waiting).toBe(1001)
    const back = await readStream(one, { lastEventId })
    expect(back.seen().map((event) => event.type)).toContain('reset')
  })

  /** A feed that reads only when told to. */
  function createLateFeed() {
    const { database } = world.connection
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
  it('is closed, so that its reader comes back, and is told in one line as what it is', async () => {
    const { log, lines } = collectLog()
    const server = await startLiveServer(world.connection, { log })
    await world.connection.pool.query('alter table events rename to events_away')
    const socket = await openSocket(server, { lastEventId: '1-1-1' })
    await once(socket.resume(), 'close')
    await world.connection.pool.query('alter table events_away rename to events')
    await server.stop()
    expect(lines.filter(({ level, msg }) => level > 30 && !msg.includes('outbox'))).toMatchObject([
      { level: 50, msg: 'an event stream could not be opened; its reader comes back' },
    ])
  })
})

describe('too many streams', () => {
  it.each([
    ['one address', () => '192.0.2.1', '192.0.2.2'],
    ['one IPv6 network', (index: number) => `2001:db8:0:1::${index.toString(16)}`, '2001:db8:0:2::1'],
  ])('of %s are refused, until one of them ends', async (_what, addressOf, stranger) => {
    const server = await startLiveServer(world.connection)
    const ask = async (address: string) => {
      const socket = await openSocket(server, { address })
      const [head]: Buffer[] = await once(socket, 'data')
      return { socket, answer: head?.toString() ?? '' }
    }
    const streams = await Promise.all(Array.from({ length: MAX_READERS_PER_ADDRESS }, (_, index) => ask(addressOf(index))))
    for (const { answer } of streams) expect(answer).toContain('200 OK')
    const refused = await ask(addressOf(MAX_READERS_PER_ADDRESS))
    expect(refused.answer).toContain('429 Too Many Requests')
    expect(refused.answer).toContain('"code":"TOO_MANY_REQUESTS"')
    expect((await ask(stranger)).answer).toContain('200 OK')
    streams[0]!.socket.destroy()
    await expect.poll(() => server.readers.count(), waiting).toBe(MAX_READERS_PER_ADDRESS)
    expect((await ask(addressOf(0))).answer).toContain('200 OK')
    await server.stop()
  })
})

describe('a slow reader', () => {
  it('is disconnected, delays nobody, and is told to reset when it reconnects', async () => {
    const before = await readStream(one)
    const lastEventId = before.seen().at(-1)!.id
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
    const padded = (stream: typeof quick) => stream.names().filter((name) => name.endsWith(padding)).length
    // Never more at once than a reader may be behind: on a busy machine the quick one, too, reads late.
    for (let sent = 40; sent <= 600; sent += 40) {
      await Promise.all(Array.from({ length: 40 }, (_, index) => world.emit(`${sent} ${index} ${padding}`)))
      await expect.poll(() => padded(quick), waiting).toBe(sent)
    }
    slow.resume()
    await expect.poll(() => disconnected, waiting).toBe(true)
    const back = await readStream(other, { lastEventId })
    expect(
      back
        .seen()
        .map((event) => event.type)
        .slice(0, 2),
    ).toEqual(['reset', 'ready'])
  })
})

describe('many events at once', () => {
  it('disconnect no reader', async () => {
    const reader = await readStream(one)
    const padding = 'y'.repeat(20_000)
    await world.connection.pool.query(`${emission} from generate_series(1, 500)`, [null, padding])
    await expect.poll(() => reader.names().filter((name) => name === padding).length, waiting).toBe(500)
    reader.close()
  })
})

describe('a private stream', () => {
  it("carries its own wallet's private events only, and ends with its session", async () => {
    const [mine, theirs] = [wallet(), wallet()]
    const session = await world.signIn(mine)
    const own = await readStream(one, { token: session.token })
    const visitor = await readStream(one)
    await world.emit('mine', [mine, wallet()])
    await world.emit('theirs', [theirs])
    await world.emit('for all')
    await expect.poll(() => own.names(), waiting).toEqual(['mine', 'for all'])
    expect(visitor.names()).toEqual(['for all'])
    await session.logOut()
    await expect.poll(() => own.hasEnded(), waiting).toBe(true)
    expect(visitor.hasEnded()).toBe(false)
    await world.emit('later')
    await expect.poll(() => visitor.names(), waiting).toEqual(['for all', 'later'])
  })

  it('survives that sessions cannot be checked for a moment, and still ends with its session', async () => {
    const session = await world.signIn(wallet())
    const own = await readStream(one, { token: session.token })
    await world.connection.pool.query('alter table sessions rename to sessions_away')
    await expect.poll(() => one.failedChecks(), waiting).toBeGreaterThan(1)
    await world.emit('meanwhile')
    await expect.poll(() => own.names(), waiting).toEqual(['meanwhile'])
    await world.connection.pool.query('alter table sessions_away rename to sessions')
    expect(own.hasEnded()).toBe(false)
    await session.logOut()
    await expect.poll(() => own.hasEnded(), waiting).toBe(true)
  })
})
