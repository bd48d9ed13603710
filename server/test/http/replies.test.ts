import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { takesGzip } from '../../src/http/compression.ts'
import { answered } from '../../src/http/route.ts'
import { collectLog } from '../runtime/collected-log.ts'
import { builtPages, listen, serve } from './test-server.ts'

const json = '{"listings":[],"nextCursor":null}'
const longWay = '{"listings":[],"nextCursor":"the long way"}'
const ready = { json, length: json.length, gzipped: gzipSync(json), etag: '"a-tag"', lastEventId: '7-9' }
const listingsUrl = '/api/marketplace/listings'
const generated = /^[0-9a-f-]{36}$/

/** A server with a reply of each kind. @returns its origin, and what it has logged */
async function start() {
  const { log, lines } = collectLog('debug')
  const fastify = await serve(
    (api) => {
      api.open('listings', 'read', async (call) => call.sendPublicJson(longWay))
      api.open('rpc', 'rpc', async ({ sendJson }) => sendJson('{}'))
      api.open('config', 'read', async () => {
        throw new TypeError('nobody foresaw this')
      })
      api.open('events', 'read', async ({ reply }) => {
        reply.hijack()
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).end(': beat\n\n')
        return answered
      })
    },
    { log, findCached: (url) => (url === listingsUrl ? ready : undefined) },
    { pageFolder: await builtPages({ 'assets/a.js': '1' }) },
  )
  return { origin: await listen(fastify), lines }
}

const startListings = async () => `${(await start()).origin}${listingsUrl}`

const varying = new Set(['date', 'content-length', 'etag', 'last-event-id', 'cache-control', 'x-request-id'])
const steady = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => !varying.has(name) && !name.startsWith('access-control-')))

describe('a ready reply', () => {
  it('has the same headers as any other reply', async () => {
    const url = await startListings()
    const [short, long] = await Promise.all([fetch(url), fetch(`${url}?limit=3`)])
    expect(await short.text()).toBe(json)
    expect(await long.text()).toContain('the long way')
    expect(steady(short)).toEqual(steady(long))
    expect(short.headers.get('cache-control')).toBe('no-cache')
    expect(short.headers.get('last-event-id')).toBe('7-9')
  })

  it('sends no body if the client has it, whether its tag is a weak one or not', async () => {
    const url = await startListings()
    for (const known of ['"a-tag"', 'W/"a-tag"', '"other", "a-tag"']) {
      const reply = await fetch(url, { headers: { 'if-none-match': known } })
      expect([reply.status, await reply.text(), reply.headers.get('etag')]).toEqual([304, '', 'W/"a-tag"'])
    }
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('is sent to GET alone, and not to other origins than its own', async () => {
    const url = await startListings()
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect(await (await fetch(url, { headers: { origin: 'https://other.example' } })).text()).toContain('the long way')
    expect(await (await fetch(url, { headers: { origin: 'https://market.example' } })).text()).toBe(json)
  })
})

describe('public JSON', () => {
  it.each(['', '?limit=3'])('is compressed for a client that takes gzip, whichever way it is answered: %s', async (query) => {
    const url = `${await startListings()}${query}`
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

const preflight = { origin: 'https://market.example', 'access-control-request-method': 'GET' }
const replies: [string, string, RequestInit, number][] = [
  ['a cached first page', listingsUrl, {}, 200],
  ['one that the client has', listingsUrl, { headers: { 'if-none-match': '"a-tag"' } }, 304],
  ['a page that is not cached', `${listingsUrl}?limit=3`, {}, 200],
  ['an event stream', '/api/marketplace/events', {}, 200],
  ['the relay', '/rpc', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }, 200],
  ['an unforeseen failure', '/api/config', {}, 500],
  ['an unknown call', '/api/nothing', {}, 404],
  ['a wrong method', listingsUrl, { method: 'DELETE' }, 405],
  ['an address that is no URL', '/%ff', {}, 400],
  ['the web app', '/', {}, 200],
  ['a path that is no page', '/market', { headers: { accept: 'text/html' } }, 404],
  ['a file', '/assets/a.js', {}, 200],
  ['the API document', '/api/openapi.json', {}, 200],
  ['a preflight', '/api/config', { method: 'OPTIONS', headers: preflight }, 204],
]

describe('the reply to', () => {
  it.each(replies)('%s carries an id: its own, or the one it came with', async (_what, path, init, status) => {
    const { origin } = await start()
    const ask = (id?: string) => {
      const headers = new Headers(init.headers)
      if (id !== undefined) headers.set('x-request-id', id)
      return fetch(`${origin}${path}`, { ...init, headers })
    }
    const [own, other, named] = await Promise.all([ask(), ask(), ask('trace: 7/a.b')])
    expect([own.status, named.status]).toEqual([status, status])
    for (const reply of [own, other]) expect(reply.headers.get('x-request-id')).toMatch(generated)
    expect(own.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'))
    expect(named.headers.get('x-request-id')).toBe('trace: 7/a.b')
  })

  it.each([
    ['too long', 'x'.repeat(129)],
    ['empty', ''],
    ['not ASCII', 'caf\u00e9'],
  ])('a request whose id is %s carries another', async (_what, id) => {
    const { origin } = await start()
    for (const path of [listingsUrl, '/api/nothing']) {
      const reply = await fetch(`${origin}${path}`, { headers: { 'x-request-id': id } })
      expect(reply.headers.get('x-request-id')).toMatch(generated)
    }
  })

  it.each([
    ['no request at all', 'nonsense\r\n\r\n'],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n'],
    ['an expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n'],
  ])('%s carries an id', async (_what, bytes) => {
    const { origin } = await start()
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.write(bytes)
    const [reply]: Buffer[] = await once(socket, 'data')
    expect(reply?.toString()).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/m)
    socket.destroy()
  })

  it('another origin may be read by its script', async () => {
    const { origin } = await start()
    const reply = await fetch(`${origin}/api/nothing`, { headers: { origin: 'https://market.example' } })
    expect(reply.headers.get('access-control-expose-headers')).toContain('x-request-id')
  })
})

describe('a log line about a failed call', () => {
  it('carries the id of the reply', async () => {
    const { origin, lines } = await start()
    const failed = await fetch(`${origin}/api/config`)
    await fetch(`${origin}/api/nothing`, { headers: { 'x-request-id': 'mine' } })
    const requestId = failed.headers.get('x-request-id')
    expect(lines.filter(({ msg }) => msg === 'a call failed')).toMatchObject([
      { level: 50, requestId, call: 'GET /api/config', err: { stack: expect.stringContaining('nobody foresaw this') } },
    ])
    expect(lines.filter(({ msg }) => msg === 'a call was refused')).toMatchObject([{ requestId: 'mine', code: 'NOT_FOUND' }])
  })
})
