import { gunzipSync } from 'node:zlib'
import createFastify from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compress } from '../../src/http/compression.ts'
import { readMarketQuery } from '../../src/market/market-query.ts'
import { createPageCache, isCacheable, type PageCache } from '../../src/market/page-cache.ts'
import { invalidatePagesOnWrites, readFirstPage } from '../../src/market/send-page.ts'
import { defaultCatalogue } from '../support/catalogue.ts'

const SELLER = 'So11111111111111111111111111111111111111112'

/** The last event that the server knows. */
let known: string | undefined
let pages: PageCache

/** Pages age, and patience ends, by this clock, which only `pass` moves. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  known = undefined
  pages = createPageCache({ lastEventId: () => known, compress })
})
afterEach(() => void vi.useRealTimers())
const pass = (millis: number) => void vi.advanceTimersByTime(millis)

/** Reads of which each says how many there were. */
function countReadings() {
  const readings = { count: 0, read: async () => `reading ${++readings.count}` }
  return readings
}

/** A read that ends when the test says so. */
function slowReading() {
  let finish = (_text: string): void => undefined
  return { read: () => new Promise<string>((resolve) => (finish = resolve)), finish: (text: string) => finish(text) }
}

describe('first pages', () => {
  it('are read once for all callers, until a change is reported', async () => {
    const { read } = countReadings()
    const both = await Promise.all([pages.get('a', read), pages.get('a', read)])
    expect(both.map((page) => page.json)).toEqual(['reading 1', 'reading 1'])
    expect((await pages.get('b', read)).json).toBe('reading 2')
    pages.clear()
    expect((await pages.get('a', read)).json).toBe('reading 3')
  })

  it('are the 500 that were last asked for', async () => {
    const { read } = countReadings()
    for (let page = 0; page < 500; page++) await pages.get(`page ${page}`, read)
    pages.find('page 0')
    await pages.get('page 500', read)
    expect(['page 0', 'page 1', 'page 500'].map((url) => pages.find(url)?.json)).toEqual(['reading 1', undefined, 'reading 501'])
  })

  it('carry the last event that was known before they were read', async () => {
    known = '1-1'
    const read = async () => {
      known = '2-2'
      return 'page'
    }
    expect((await pages.get('a', read)).lastEventId).toBe('1-1')
    pages.clear()
    expect((await pages.get('a', read)).lastEventId).toBe('2-2')
  })

  it('are compressed once, and not again while they stay the same', async () => {
    known = '1-1'
    const first = await pages.get('a', async () => 'page')
    expect(gunzipSync(first.gzipped).toString()).toBe('page')
    known = '2-2'
    pass(600)
    pages.find('a')
    await expect.poll(() => pages.find('a')?.lastEventId).toBe('2-2')
    expect(pages.find('a')?.gzipped).toBe(first.gzipped)
  })

  it('are not cached if a change came while they were being read', async () => {
    const { read, finish } = slowReading()
    const slow = pages.get('a', read)
    pages.clear()
    expect((await pages.get('a', async () => 'new')).json).toBe('new')
    finish('old')
    expect((await slow).json).toBe('old')
    expect((await pages.get('a', async () => 'newer')).json).toBe('new')
  })

  it('requested all the time are renewed before they are too old, and no request waits for it', async () => {
    const readings = countReadings()
    await pages.get('a', readings.read)
    pass(600)
    expect(pages.find('a')?.json).toBe('reading 1')
    await expect.poll(() => pages.find('a')?.json).toBe('reading 2')
    pass(300)
    expect(pages.find('a')?.json).toBe('reading 2')
    expect(readings.count).toBe(2)
  })

  it('invalidated during their renewal do not come back', async () => {
    const renewal = slowReading()
    const renewals = vi.fn<() => Promise<string>>(renewal.read).mockResolvedValueOnce('first')
    await pages.get('a', renewals)
    pass(600)
    expect(pages.find('a')?.json).toBe('first')
    expect(renewals).toHaveBeenCalledTimes(2)
    pages.clear()
    renewal.finish('renewed')
    await new Promise((resolve) => setImmediate(resolve))
    expect(pages.find('a')).toBeUndefined()
  })

  it('are read again after a failed read', async () => {
    await expect(pages.get('a', () => Promise.reject(new Error('no database')))).rejects.toThrow('no database')
    expect((await pages.get('a', async () => 'there')).json).toBe('there')
  })

  it('are kept as copies for a minute, whatever has changed since', async () => {
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
    const readings = countReadings()
    await pages.get('a', readings.read)
    pass(5_000)
    await pages.refreshCopies()
    expect(readings.count).toBe(1)
    pass(1)
    await pages.refreshCopies()
    expect(pages.copyOf('a')).toMatchObject({ page: { json: 'reading 2' }, ageSeconds: 0 })
    expect(pages.find('a')?.json).toBe('reading 2')
  })

  it('keep the copies of the thirty that were last asked for', async () => {
    const ask = async (url: string) => pages.get(url, async () => url)
    for (let page = 0; page < 30; page++) await ask(`page ${page}`)
    pages.clear()
    await ask('page 0')
    await ask('page 30')
    expect(['page 0', 'page 1', 'page 30'].map((url) => pages.copyOf(url)?.page.json)).toEqual(['page 0', undefined, 'page 30'])
  })

  it('never replace a copy by one that was read before it', async () => {
    const { read, finish } = slowReading()
    const slow = pages.get('a', read)
    pass(10)
    pages.clear()
    await pages.get('a', async () => 'new')
    finish('old')
    await slow
    expect(pages.copyOf('a')?.page.json).toBe('new')
  })

  it('are cached only without a cursor, a seller or an address to search for', () => {
    const isKept = (query: Parameters<typeof readMarketQuery>[0]) => isCacheable(readMarketQuery(query, defaultCatalogue))
    const cursor = Buffer.from(JSON.stringify(['price', '5', '01890000-0000-7000-8000-000000000000'])).toString('base64url')
    const kept = [{}, { tokenType: 'APPLE_JUICE' }, { sort: 'price' as const }, { search: 'grape soda' }, { limit: 1 }]
    const others = [{ search: 'juice' }, { seller: SELLER }, { limit: 51 }, { sort: 'price' as const, cursor }]
    expect([...kept, ...others].map(isKept)).toEqual([...kept.map(() => true), ...others.map(() => false)])
  })
})

describe('a first page of which there is a copy, 20 seconds old,', () => {
  const lost = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  const busy = () => Promise.reject(new Error('timeout exceeded when trying to connect'))
  const broken = () => Promise.reject(new Error('a fault of ours'))
  const away = (): Promise<void> => Promise.reject(new Error('no answer'))
  const there = async () => undefined

  beforeEach(async () => {
    await pages.get('a', async () => 'the page as it was')
    pages.clear()
    pass(20_000)
  })

  const readPage = (render: () => Promise<string>, { probeDatabase = away, takesCopy = true } = {}) =>
    readFirstPage({ pageCache: pages, probeDatabase }, { url: 'a', render, takesCopy })

  it('that cannot be read while the database is away is its copy, with its age', async () => {
    expect(await readPage(lost)).toMatchObject({ copy: { page: { json: 'the page as it was' }, ageSeconds: 20 } })
  })

  it('that is never answered is its copy, too: a connection can be lost in silence', async () => {
    expect(await readPage(() => new Promise(() => undefined))).toMatchObject({ copy: { ageSeconds: 20 } })
  })

  it.each([
    ['for a caller with a session', lost, { takesCopy: false }, 'ECONNREFUSED'],
    ['while the database is up, even if it is too busy to answer', busy, { probeDatabase: there }, 'timeout exceeded'],
    ['if something else is wrong than the database', broken, {}, 'a fault of ours'],
  ])('is no copy %s', async (_when, render, parts, message) => {
    await expect(readPage(render, parts)).rejects.toThrow(message)
  })

  it('is waited for while the database is up, however long it takes', async () => {
    const { read, finish } = slowReading()
    const probeDatabase = vi.fn<() => Promise<void>>(there)
    const reading = readPage(read, { probeDatabase })
    await vi.waitFor(() => expect(probeDatabase).toHaveBeenCalled(), { timeout: 5_000 })
    finish('the page as it is')
    expect(await reading).toMatchObject({ page: { json: 'the page as it is' } })
  })

  it('that was waited for in vain is its copy, even if the database is up: a migration may hold the table', async () => {
    let fail: (error: Error) => void = () => undefined
    const probeDatabase = vi.fn<() => Promise<void>>(there)
    const reading = readPage(() => new Promise((_, reject) => void (fail = reject)), { probeDatabase })
    await vi.waitFor(() => expect(probeDatabase).toHaveBeenCalled(), { timeout: 5_000 })
    fail(Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }))
    expect(await reading).toMatchObject({ copy: { page: { json: 'the page as it was' } } })
  })

  it('that was read more than a minute ago is not shown any more', async () => {
    pass(40_001)
    await expect(readPage(lost)).rejects.toThrow('ECONNREFUSED')
  })
})

describe('a write', () => {
  it.each([
    ['that may have changed the market', 201, 1],
    ['whose outcome is not known', 503, 1],
    ['that was refused', 401, 0],
    ['of which there are too many', 429, 0],
  ])('%s: clears the caches or leaves them', async (_what, status, cleared) => {
    const fastify = createFastify()
    let clears = 0
    invalidatePagesOnWrites(fastify, { clear: () => void clears++ })
    fastify.post('/api/marketplace/listings', async (_request, reply) => reply.code(status).send({}))
    await fastify.inject({ method: 'POST', url: '/api/marketplace/listings' })
    expect(clears).toBe(cleared)
  })
})
