import { gzipSync } from 'node:zlib'

import { describe, expect, it } from 'vitest'

import { takesGzip } from '../../src/http/api/compression.ts'

import { serve } from './test-server.ts'

const json = '{"listings":[],"nextCursor":null}'
const longWay = '{"listings":[],"nextCursor":"the long way"}'
const ready = { json, length: json.length, gzipped: gzipSync(json), etag: '"a-tag"', lastEventId: '7-9' }

async function start(findCached = (url: string) => (url === '/api/marketplace/listings' ? ready : undefined)) {
  const fastify = await serve((api) => api.open('listings', 'read', async (call) => call.sendPublicJson(longWay)), { findCached })
  return fastify.listen({ port: 0, host: '127.0.0.1' })
}

const varying = new Set(['date', 'content-length', 'etag', 'last-event-id', 'cache-control', 'x-request-id'])
const steady = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => !varying.has(name) && !name.startsWith('access-control-')))

describe('a ready reply', () => {
  it('has the same headers as any other reply', async () => {
    const url = `${await start()}/api/marketplace/listings`
    const [short, long] = await Promise.all([fetch(url), fetch(`${url}?limit=3`)])
    expect(await short.text()).toBe(json)
    expect(await long.text()).toContain('the long way')
    expect(steady(short)).toEqual(steady(long))
    expect(short.headers.get('cache-control')).toBe('no-cache')
    expect(short.headers.get('last-event-id')).toBe('7-9')
  })

  it('sends no body if the client has it, whether its tag is a weak one or not', async () => {
    const url = `${await start()}/api/marketplace/listings`
    for (const known of ['"a-tag"', 'W/"a-tag"', '"other", "a-tag"']) {
      const reply = await fetch(url, { headers: { 'if-none-match': known } })
      expect([reply.status, await reply.text(), reply.headers.get('etag')]).toEqual([304, '', 'W/"a-tag"'])
    }
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('is sent to GET alone, and not to other origins than its own', async () => {
    const url = `${await start()}/api/marketplace/listings`
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect(await (await fetch(url, { headers: { origin: 'https://other.example' } })).text()).toContain('the long way')
    expect(await (await fetch(url, { headers: { origin: 'https://market.example' } })).text()).toBe(json)
  })
})

describe('public JSON', () => {
  it.each(['', '?limit=3'])('is compressed for a client that takes gzip, whichever way it is answered: %s', async (query) => {
    const url = `${await start()}/api/marketplace/listings${query}`
    const plain = await fetch(url, { headers: { 'accept-encoding': 'br, gzip;q=0' } })
    const packed = await fetch(url, { headers: { 'accept-encoding': 'br, gzip' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(await packed.text()).toBe(query === '' ? json : longWay)
    expect(await plain.text()).toBe(query === '' ? json : longWay)
    for (const { headers } of [plain, packed]) expect(headers.get('vary')).toBe('Origin, Accept-Encoding')
  })

  it.each([
    ['gzip', true],
    ['br, GZIP ; q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['x-gzip, br', false],
    [undefined, false],
  ])('is compressed for %s: %s', (acceptEncoding, expected) => {
    expect(takesGzip(acceptEncoding)).toBe(expected)
  })
})
