import { request } from 'node:http'
import { endpoints } from '@juicebar/contract/endpoints'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { readConfig } from '../../src/config.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { startApp } from '../support/start-app.ts'
import { type ParsedFamily, scrape, valueOf } from './parsed-metrics.ts'

let fresh: FreshDatabase
let app: Awaited<ReturnType<typeof startApp>>

/** What a server counts is counted from its start: each test has a server of its own. */
beforeEach(async () => {
  fresh = await freshDatabase()
  app = await startApp(fresh.url, { metrics: true })
  await app.started
})
afterEach(() => fresh.drop())

describe('calls', () => {
  it('are counted by name and status, whoever answers them, and never by path', async () => {
    const listings = `${app.origin}/api/marketplace/listings`
    const first = await (await fetch(listings)).json()
    expect(first).toMatchObject({ listings: [] })
    await fetch(listings)
    for (const id of ['one', 'two', 'three']) expect((await fetch(`${listings}/${id}`)).status).toBe(404)
    await fetch(`${app.origin}/secret-path?key=secret`)
    await fetch(`${app.origin}/%E0%A4%A`)
    await fetch(`${app.origin}/api/studio/credits`, { method: 'POST' })

    const families = await scrape(app.metricsUrl)
    const count = (route: string, status: number) => valueOf(families, 'juicebar_http_requests_total', { route, status: String(status) })
    expect(count('listings', 200)).toBe(2)
    expect(valueOf(families, 'juicebar_http_request_duration_seconds_count', { route: 'listings' })).toBe(2)
    expect(count('listing', 404)).toBe(3)
    expect(count('studioCredit', 401)).toBe(1)
    const routes = families.find(({ name }) => name === 'juicebar_http_requests_total')?.samples.map(({ labels }) => labels['route'] ?? '')
    expect(routes?.filter((route) => !(route in endpoints) && route !== 'other')).toEqual([])
    expect(await (await fetch(app.metricsUrl)).text()).not.toContain('secret')
  })
})

describe('the listener', () => {
  it('answers /metrics and nothing else, and the market does not answer it', async () => {
    const origin = new URL(app.metricsUrl).origin
    const statusOf = async (path: string, init?: RequestInit) => (await fetch(`${origin}${path}`, init)).status
    for (const path of ['/', '/metrics/', '/metrics/x', '/health', '/api/marketplace/listings', '//metrics']) {
      expect([path, await statusOf(path)]).toEqual([path, 404])
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect([method, await statusOf('/metrics', { method })]).toEqual([method, 405])
    expect(await statusOf('/metrics', { method: 'HEAD' })).toBe(200)
    const reply = await fetch(app.metricsUrl)
    expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect((await fetch(`${app.origin}/metrics`)).status).toBe(404)
  })

  it('is off by default, and then nothing is counted', () => {
    expect(createMetrics(readConfig({}).metrics)).toBeUndefined()
  })

  it('says in a sentence that its address is taken', async () => {
    const other = createMetrics({ host: '127.0.0.1', port: app.metrics?.port() ?? 0 })
    const listening = other?.listen({ connection: undefined as never, state: undefined as never })
    await expect(listening).rejects.toThrow(
      /^Metrics cannot be served on 127\.0\.0\.1:\d+ \(EADDRINUSE\)\. Set METRICS_HOST and METRICS_PORT /,
    )
  })
})

describe('what the database knows', () => {
  it('is in every scrape: cases, lags, webhooks and the pause', async () => {
    // The server is not to reconcile the hold, which it would find provable.
    await app.connection.pool.query(`
      insert into cases (kind, signature, lamports, deliverable, seller, buyer, genesis_hash, paid_at_slot, opened_at, reconcile_at) values
        ('lost', 'one', 1, false, 'seller', 'buyer', '', 0, now() - interval '1 hour', null),
        ('lost', 'two', 1, false, 'seller', 'buyer', '', 0, now(), now() + interval '1 hour');
      insert into purchases (buyer, sellers, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, reconcile_at, unprovable_at)
        values ('buyer', '{seller}', 1, 'reference', 'chain', 1, true, now(), now() + interval '1 hour', now());
      insert into webhooks (url, events, delivered_to, enabled, switched_off) values
        ('https://one.example', '{sale.settled}', 0, true, null), ('https://two.example', '{sale.settled}', 0, false, 'gone');
      insert into pauses (message, actor) values ('Back soon.', 'root')`)
    const families = await scrape(app.metricsUrl)
    expect(valueOf(families, 'juicebar_open_cases', { kind: 'lost' })).toBe(2)
    expect(valueOf(families, 'juicebar_open_cases', { kind: 'late' })).toBe(0)
    expect(valueOf(families, 'juicebar_oldest_open_case_age_seconds', { kind: 'lost' })).toBeGreaterThanOrEqual(3_600)
    expect(valueOf(families, 'juicebar_holds_waiting_for_studio')).toBe(1)
    expect(valueOf(families, 'juicebar_webhooks', { state: 'on' })).toBe(1)
    expect(valueOf(families, 'juicebar_webhooks', { state: 'gone' })).toBe(1)
    expect(valueOf(families, 'juicebar_market_paused')).toBe(1)
    expect(valueOf(families, 'juicebar_reconciliation_lag_seconds', { due: 'case' })).toBe(0)
    expect(valueOf(families, 'juicebar_database_up')).toBe(1)
    expect(valueOf(families, 'juicebar_scrape_errors_total', { source: 'database' })).toBe(0)
  })

  const unknown = (families: readonly ParsedFamily[]) => {
    for (const name of ['open_cases', 'market_paused', 'webhook_lag_seconds', 'reconciliation_lag_seconds']) {
      const family = families.find((each) => each.name === `juicebar_${name}`)
      expect(family?.samples, `${name} is missing, and not zero`).toEqual([])
    }
  }

  it('is missing while it cannot be read in time; all who scrape meanwhile wait for one attempt', async () => {
    expect(valueOf(await scrape(app.metricsUrl), 'juicebar_market_paused')).toBe(0)
    const client = await app.connection.pool.pg.connect()
    await client.query('begin; set local idle_in_transaction_session_timeout = 0; lock table webhook_messages in access exclusive mode')
    const scrapes = await Promise.all([scrape(app.metricsUrl), scrape(app.metricsUrl), scrape(app.metricsUrl)])
    for (const families of scrapes) {
      unknown(families)
      expect(valueOf(families, 'juicebar_scrape_errors_total', { source: 'database' })).toBe(1)
      expect(valueOf(families, 'juicebar_database_up')).toBe(1)
      expect(valueOf(families, 'juicebar_build_info')).toBe(1)
    }
    await client.query('rollback')
    client.release()
    expect(valueOf(await scrape(app.metricsUrl), 'juicebar_market_paused')).toBe(0)
  })

  it('is missing while the database is away, and what the server knows by itself is not', async () => {
    await fresh.drop()
    const families = await scrape(app.metricsUrl)
    unknown(families)
    expect(valueOf(families, 'juicebar_database_up')).toBe(0)
    expect(valueOf(families, 'juicebar_scrape_errors_total', { source: 'database' })).toBe(1)
    expect(valueOf(families, 'juicebar_event_streams')).toBe(0)
    fresh = await freshDatabase()
  })
})

describe('an event stream', () => {
  it('is counted while it is open', async () => {
    const streams = async () => valueOf(await scrape(app.metricsUrl), 'juicebar_event_streams')
    await expect.poll(async () => (await fetch(`${app.origin}/health/ready`)).status).toBe(200)
    expect(await streams()).toBe(0)
    const stream = request(`${app.origin}/api/marketplace/events`)
    stream.on('error', () => undefined).end()
    await expect.poll(streams).toBe(1)
    stream.destroy()
    await expect.poll(streams).toBe(0)
  })
})
