import { gunzipSync } from 'node:zlib'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { compress } from '../../src/http/api/compression.ts'
import { createPageCache, isCacheable } from '../../src/market/page-cache.ts'
import { readMarketQuery } from '../../src/market/market-query.ts'
import { type MarketWorld, openMarketWorld, randomWallet } from './market-world.ts'

/** Pages age by this clock, which only `pass` moves. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())
const unknown = () => undefined
const pass = (millis: number) => void vi.advanceTimersByTime(millis)

describe('first pages', () => {
  it('are read once for all callers, until a change is reported', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    let readings = 0
    const read = async () => `reading ${++readings}`
    const both = await Promise.all([pages.get('a', read), pages.get('a', read)])
    expect(both.map((page) => page.json)).toEqual(['reading 1', 'reading 1'])
    expect((await pages.get('b', read)).json).toBe('reading 2')
    pages.clear()
    expect((await pages.get('a', read)).json).toBe('reading 3')
  })

  it('carry the last event that was known before they were read', async () => {
    let known = '1-1'
    const pages = createPageCache({ lastEventId: () => known, compress })
    const read = async () => {
      known = '2-2'
      return 'page'
    }
    expect((await pages.get('a', read)).lastEventId).toBe('1-1')
    pages.clear()
    expect((await pages.get('a', read)).lastEventId).toBe('2-2')
  })

  it('are compressed once, and not again while they stay the same', async () => {
    let known = '1-1'
    const pages = createPageCache({ lastEventId: () => known, compress })
    const first = await pages.get('a', async () => 'page')
    expect(gunzipSync(first.gzipped).toString()).toBe('page')
    known = '2-2'
    pass(600)
    pages.find('a')
    await expect.poll(() => pages.find('a')?.lastEventId).toBe('2-2')
    expect(pages.find('a')?.gzipped).toBe(first.gzipped)
  })

  it('are not cached if a change came while they were being read', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    let finish: ((text: string) => void) | undefined
    const slow = pages.get('a', () => new Promise((resolve) => (finish = resolve)))
    pages.clear()
    expect((await pages.get('a', async () => 'new')).json).toBe('new')
    finish?.('old')
    expect((await slow).json).toBe('old')
    expect((await pages.get('a', async () => 'newer')).json).toBe('new')
  })

  it('requested all the time are renewed before they are too old, and no request waits for it', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    let readings = 0
    await pages.get('a', async () => `reading ${++readings}`)
    pass(600)
    expect(pages.find('a')?.json).toBe('reading 1')
    await expect.poll(() => pages.find('a')?.json).toBe('reading 2')
    pass(300)
    expect(pages.find('a')?.json).toBe('reading 2')
    expect(readings).toBe(2)
  })

  it('invalidated during their renewal do not come back', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    let finish: ((text: string) => void) | undefined
    let readings = 0
    const read = () => (++readings === 1 ? Promise.resolve('first') : new Promise<string>((resolve) => (finish = resolve)))
    await pages.get('a', read)
    pass(600)
    expect(pages.find('a')?.json).toBe('first')
    expect(finish).toBeDefined()
    pages.clear()
    finish?.('renewed')
    await new Promise((resolve) => setImmediate(resolve))
    expect(pages.find('a')).toBeUndefined()
  })

  it('are read again after a failed read', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    await expect(pages.get('a', () => Promise.reject(new Error('no database')))).rejects.toThrow('no database')
    expect((await pages.get('a', async () => 'there')).json).toBe('there')
  })

  it('are kept as copies for a minute, whatever has changed since', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    expect(pages.copyOf('a')).toBeUndefined()
    await pages.get('a', async () => 'page')
    pages.clear()
    expect(pages.find('a')).toBeUndefined()
    expect(pages.copyOf('a')).toMatchObject({ page: { json: 'page' }, ageSeconds: 0 })
    pass(20_900)
    expect(pages.copyOf('a')?.ageSeconds).toBe(20)
    pass(39_100)
    expect(pages.copyOf('a')?.ageSeconds).toBe(60)
    pass(1)
    expect(pages.copyOf('a')).toBeUndefined()
  })

  it('keep their copies nearly new, and cost one read in five seconds for that', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    let readings = 0
    await pages.get('a', async () => `reading ${++readings}`)
    pass(5_000)
    await pages.refreshCopies()
    expect(readings).toBe(1)
    pass(1)
    await pages.refreshCopies()
    expect(pages.copyOf('a')).toMatchObject({ page: { json: 'reading 2' }, ageSeconds: 0 })
    expect(pages.find('a')?.json).toBe('reading 2')
  })

  it('keep the copies of the thirty that were last asked for', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    const ask = async (url: string) => pages.get(url, async () => url)
    for (let page = 0; page < 30; page++) await ask(`page ${page}`)
    pages.clear()
    await ask('page 0')
    await ask('page 30')
    expect(pages.copyOf('page 0')).toBeDefined()
    expect(pages.copyOf('page 1')).toBeUndefined()
    expect(pages.copyOf('page 30')).toBeDefined()
  })

  it('never replace a copy by one that was read before it', async () => {
    const pages = createPageCache({ lastEventId: unknown, compress })
    let finish: ((text: string) => void) | undefined
    const slow = pages.get('a', () => new Promise((resolve) => (finish = resolve)))
    pass(10)
    pages.clear()
    await pages.get('a', async () => 'new')
    finish?.('old')
    await slow
    expect(pages.copyOf('a')?.page.json).toBe('new')
  })

  it('are cached only without a cursor, a seller or an address to search for', () => {
    const isKept = (query: Parameters<typeof readMarketQuery>[0]) => isCacheable(readMarketQuery(query, defaultCatalogue))
    const cursor = Buffer.from(JSON.stringify(['price', '5', '01890000-0000-7000-8000-000000000000'])).toString('base64url')
    const kept = [{}, { tokenType: 'APPLE_JUICE' }, { sort: 'price' as const }, { search: 'grape soda' }, { limit: 1 }]
    const others = [{ search: 'juice' }, { seller: randomWallet() }, { limit: 51 }, { sort: 'price' as const, cursor }]
    expect([...kept, ...others].map(isKept)).toEqual([...kept.map(() => true), ...others.map(() => false)])
  })
})

describe('the market over HTTP', () => {
  let world: MarketWorld
  beforeAll(async () => {
    world = await openMarketWorld()
    world.fastify.post('/api/marketplace/anything', async () => ({}))
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.empty()
    world.pageCache.clear()
  })

  const listing = { seller: randomWallet(), tokenType: 'APPLE_JUICE' as const, amount: 1, steps: 1 }

  it('answers 304 to a client that has the page, until the page changes', async () => {
    await world.add([listing])
    const first = await world.get({})
    expect(first.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'application/json; charset=utf-8' })
    const seen = { 'if-none-match': String(first.headers['etag']) }
    const again = await world.get({}, seen)
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', first.headers['etag']])
    await world.add([listing])
    world.pageCache.clear()
    const changed = await world.get({}, seen)
    expect([changed.statusCode, changed.json().listings.length]).toEqual([200, 2])
  })

  it('shows a change in the next answer after the reply to the write', async () => {
    expect((await world.page()).listings).toHaveLength(0)
    await world.add([listing])
    await world.fastify.inject({ method: 'POST', url: '/api/marketplace/anything' })
    expect((await world.page()).listings).toHaveLength(1)
  })

  it('shows a change made elsewhere within a second, even if no event reports it', async () => {
    expect((await world.page()).listings).toHaveLength(0)
    await world.add([listing])
    expect((await world.page()).listings).toHaveLength(0)
    pass(1_001)
    expect((await world.page()).listings).toHaveLength(1)
  })
})
