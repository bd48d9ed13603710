import { request } from 'node:http'

import { endpoints } from '@juicebar/contract/endpoints'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createMetrics } from '../../src/metrics/metrics.ts'
import { readConfig } from '../../src/settings/config.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { startApp } from '../support/start-app.ts'
import { type ParsedFamily, scrape, valueOf } from './parsed-metrics.ts'
import { startExercised } from './exercised-server.ts'

let fresh: FreshDatabase

beforeEach(async () => void (fresh = await freshDatabase()))
afterEach(() => fresh.drop())

/** The units that names may end with, for Prometheus' base units. */
const units = /_(?:seconds|bytes|ratio|lamports|requests_per_second)(?:_total)?$/
/** Names that count things, or say whether something is so. */
const unitless = /_(?:total|info|up|used|paused|max|waiting|connections|streams|webhooks|cases|for_studio)$/
/** Each with few values that are known beforehand. */
const boundedLabels = new Set('route status code reason kind token_type outcome endpoint pool state due source version node le'.split(' '))

describe('the names', () => {
  it('have the prefix, their unit, a help of one sentence, and labels with few values', async () => {
    const server = await startExercised()
    const families = await scrape(server.url)
    await server.stop()
    expect(families.length).toBeGreaterThan(40)
    for (const { name, type, help, samples } of families) {
      expect(name).toMatch(/^juicebar_[a-z]+(?:_[a-z]+)*$/)
      expect(units.test(name) || unitless.test(name), `${name} tells its unit`).toBe(true)
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
      expect(help).toMatch(/^[A-Z].{10,250}\.$/)
      const series = samples.map((sample) => `${sample.name} ${JSON.stringify(sample.labels)}`)
      expect(new Set(series).size, `${name} has each series once`).toBe(series.length)
      for (const { labels } of samples) {
        expect(Object.keys(labels).filter((label) => !boundedLabels.has(label))).toEqual([])
        // No path, no address of a wallet, no URL.
        for (const value of Object.values(labels)) expect(value).toMatch(/^[\w.+:-]{1,40}$/)
      }
    }
  })
})

describe('calls', () => {
  it('are counted by name and status, whoever answers them, and never by path', async () => {
    const app = await startApp(fresh.url, { metrics: true })
    await app.started
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
    const app = await startApp(fresh.url, { metrics: true })
    await app.started
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
    const { metrics, started } = await startApp(fresh.url, { metrics: true })
    await started
    const other = createMetrics({ host: '127.0.0.1', port: metrics?.port() ?? 0 })
    const listening = other?.listen({ connection: undefined as never, state: undefined as never })
    await expect(listening).rejects.toThrow(
      /^Metrics cannot be served on 127\.0\.0\.1:\d+ \(EADDRINUSE\)\. Set METRICS_HOST and METRICS_PORT /,
    )
  })
})

describe('what the database knows', () => {
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: fresh.url })
    await client.connect()
    await client.query(sql)
    return client
  }

  it('is in every scrape: cases, lags, webhooks and the pause', async () => {
    const client = await run(`
      insert into cases (kind, signature, lamports, deliverable, seller, buyer, opened_at, reconcile_at) values
        ('lost', 'one', 1, false, 'seller', 'buyer', now() - interval '1 hour', null),
        ('lost', 'two', 1, false, 'seller', 'buyer', now(), now() + interval '1 hour');
      insert into purchases (buyer, sellers, price_lamports, reference, genesis_hash, held_at_slot, server_sends, pay_before, reconcile_at, unprovable_at)
        values ('buyer', '{seller}', 1, 'reference', 'chain', 1, true, now(), now() - interval '90 seconds', now());
      insert into webhooks (url, events, delivered_to, enabled, switched_off) values
        ('https://one.example', '{sale.settled}', 0, true, null), ('https://two.example', '{sale.settled}', 0, false, 'gone');
      insert into pauses (message, actor) values ('Back soon.', 'root')`)
    await client.end()
    const app = await startApp(fresh.url, { metrics: true })
    await app.started
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
    for (const name of [
      'juicebar_open_cases',
      'juicebar_market_paused',
      'juicebar_webhook_lag_seconds',
      'juicebar_reconciliation_lag_seconds',
    ]) {
      expect(families.find((family) => family.name === name)?.samples, `${name} is missing, and not zero`).toEqual([])
    }
  }

  it('is missing while it cannot be read in time; all who scrape meanwhile wait for one attempt', async () => {
    const app = await startApp(fresh.url, { metrics: true })
    await app.started
    expect(valueOf(await scrape(app.metricsUrl), 'juicebar_market_paused')).toBe(0)
    const client = await run('begin; lock table webhook_messages in access exclusive mode')
    const scrapes = await Promise.all([scrape(app.metricsUrl), scrape(app.metricsUrl), scrape(app.metricsUrl)])
    for (const families of scrapes) {
      unknown(families)
      expect(valueOf(families, 'juicebar_scrape_errors_total', { source: 'database' })).toBe(1)
      expect(valueOf(families, 'juicebar_database_up')).toBe(1)
      expect(valueOf(families, 'juicebar_build_info')).toBe(1)
    }
    await client.end()
    expect(valueOf(await scrape(app.metricsUrl), 'juicebar_market_paused')).toBe(0)
  })

  it('is missing while the database is away, and what the server knows by itself is not', async () => {
    const app = await startApp(fresh.url, { metrics: true })
    await app.started
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
    const app = await startApp(fresh.url, { metrics: true })
    await app.started
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
