import { describe, expect, it, onTestFinished } from 'vitest'

import { startTcpProxy } from '../../chaos/stack/tcp-proxy.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { useDatabase } from '../support/fresh-database.ts'
import { startApp } from '../support/start-app.ts'

const fresh = useDatabase()
const down = { status: 503, body: { code: 'DATABASE_DOWN' } }
const patience = { interval: 50 }

/** A line to the database that can be cut, as it is when the test is over. */
async function startLine() {
  const line = await startTcpProxy(fresh.url)
  onTestFinished(() => line.cut())
  return line
}

describe('a server', () => {
  it('starts before its database, survives its loss and works again without a restart', async () => {
    const line = await startLine()
    await line.cut()
    const { get } = await startApp(line.url)
    const listings = () => get('/api/marketplace/listings')
    const up = { status: 200, body: { listings: [] } }
    const health = {
      chain: 'down',
      migrating: false,
      version: '1.2.3',
      age: { events: expect.any(Number), reconciliation: expect.any(Number) },
    }

    expect(await listings()).toMatchObject(down)
    expect(await get('/health')).toEqual({ status: 503, body: { status: 'down', database: 'down', ...health } })
    expect(await get('/api/config')).toMatchObject({ status: 200, body: { productName: 'Juicebar' } })

    await line.restore()
    await expect.poll(listings, patience).toMatchObject(up)
    expect(await get('/health')).toEqual({ status: 200, body: { status: 'ok', database: 'ok', ...health } })

    await line.cut()
    expect(await get('/api/marketplace/listings?sort=oldest')).toMatchObject(down)
    expect(await get('/health')).toMatchObject({ status: 503 })

    await line.restore()
    await expect.poll(listings, patience).toMatchObject(up)
  })

  it('tells of an outage of its database in two lines, however much fails, and of its chain in others', async () => {
    const line = await startLine()
    const { log, lines, about } = collectLog()
    const { get } = await startApp(line.url, { log })
    await expect.poll(() => get('/health/ready'), patience).toMatchObject({ status: 200 })
    await line.cut()
    const calls = Array.from({ length: 100 }, () => get('/api/marketplace/listings?search=abc'))
    for (const { status } of await Promise.all(calls)) expect(status).toBe(503)
    await line.restore()
    await expect.poll(() => about('can be used again').length, { timeout: 30_000 }).toBe(1)
    const told = lines.filter(({ level, outage }) => level >= 40 && outage !== 'chain' && outage !== undefined)
    expect(told).toMatchObject([
      { level: 40, outage: 'database', reason: expect.any(String), msg: 'the database cannot be used' },
      { level: 40, outage: 'database', seconds: expect.any(Number), failed: expect.any(Number), msg: 'the database can be used again' },
    ])
    expect(told[1]!['failed']).toBeGreaterThanOrEqual(100)
    expect(lines.filter((told) => JSON.stringify(told).includes('stack'))).toEqual([])
    expect(lines.filter(({ level }) => level > 40)).toEqual([])
    expect(about('the chain cannot be reached')).toHaveLength(1)
    expect(about('a chain endpoint is down').length).toBeLessThan(2)
  })

  it('shows the first pages that it has read while its database is away, with their age and to visitors only', async () => {
    const line = await startLine()
    const { get, fetchPage } = await startApp(line.url)
    await expect.poll(() => get('/api/marketplace/listings'), patience).toMatchObject({ status: 200 })
    expect((await fetchPage()).headers.get('age')).toBeNull()
    await line.cut()

    const page = async () => {
      const { status, headers } = await fetchPage()
      return { status, age: headers.get('age'), 'cache-control': headers.get('cache-control'), etag: headers.get('etag') }
    }
    const copy = { status: 200, age: expect.stringMatching(/^\d$/), 'cache-control': 'no-store', etag: null }
    await expect.poll(page, patience).toEqual(copy)
    expect(await (await fetchPage()).json()).toMatchObject({ listings: [] })
    const signedIn = await fetchPage({ authorization: 'Bearer anything' })
    expect({ status: signedIn.status, body: await signedIn.json() }).toMatchObject(down)
    expect((await fetchPage({}, '?sort=price')).status, 'a page that was never read').toBe(503)
    expect((await fetchPage({}, '?search=juice')).status, 'a filtered page').toBe(503)

    await line.restore()
    await expect.poll(page, patience).toMatchObject({ status: 200, age: null, 'cache-control': 'no-cache' })
  })

  it('is not reported down because it is busy', async () => {
    const { get, connection } = await startApp(fresh.url)
    const { pool } = connection
    await expect.poll(() => get('/health'), patience).toMatchObject({ status: 200 })
    const clients = await Promise.all(Array.from({ length: pool.pg.options.max }, () => pool.connect()))
    onTestFinished(() => clients.forEach((client) => client.release()))
    expect(await get('/health')).toMatchObject({ status: 200, body: { database: 'ok' } })
  })
})
