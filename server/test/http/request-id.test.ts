import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { describe, expect, it, onTestFinished } from 'vitest'

import { answered } from '../../src/http/api/route.ts'
import { collectLog } from '../logging/collected-log.ts'
import { writeBuiltPages } from './built-pages.ts'
import { serve } from './test-server.ts'

const json = '{"listings":[],"nextCursor":null}'
const page = { json, length: json.length, gzipped: gzipSync(json), etag: '"a-tag"', lastEventId: undefined }
const generated = /^[0-9a-f-]{36}$/

async function start() {
  const pageFolder = await mkdtemp(join(tmpdir(), 'juicebar-request-id-'))
  onTestFinished(() => rm(pageFolder, { recursive: true }))
  await mkdir(join(pageFolder, 'assets'))
  await writeBuiltPages(pageFolder)
  await writeFile(join(pageFolder, 'assets', 'a.js'), '1')
  const { log, lines } = collectLog('debug')
  const fastify = await serve(
    (api) => {
      api.open('listings', 'read', async (call) => call.sendPublicJson(json))
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
    { log, findCached: (url) => (url === '/api/marketplace/listings' ? page : undefined) },
    { pageFolder },
  )
  return { url: await fastify.listen({ port: 0, host: '127.0.0.1' }), port: () => Number(new URL(fastify.listeningOrigin).port), lines }
}

const replies: [string, string, RequestInit, number][] = [
  ['a cached first page', '/api/marketplace/listings', {}, 200],
  ['one that the client has', '/api/marketplace/listings', { headers: { 'if-none-match': '"a-tag"' } }, 304],
  ['a page that is not cached', '/api/marketplace/listings?limit=3', {}, 200],
  ['an event stream', '/api/marketplace/events', {}, 200],
  ['the relay', '/rpc', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }, 200],
  ['an unforeseen failure', '/api/config', {}, 500],
  ['an unknown call', '/api/nothing', {}, 404],
  ['a wrong method', '/api/marketplace/listings', { method: 'DELETE' }, 405],
  ['an address that is no URL', '/%ff', {}, 400],
  ['the web app', '/', {}, 200],
  ['a path of the web app', '/listing/1', { headers: { accept: 'text/html' } }, 200],
  ['a file', '/assets/a.js', {}, 200],
  ['the API document', '/api/openapi.json', {}, 200],
  [
    'a preflight',
    '/api/config',
    { method: 'OPTIONS', headers: { origin: 'https://market.example', 'access-control-request-method': 'GET' } },
    204,
  ],
]

describe('the reply to', () => {
  it.each(replies)('%s carries an id: its own, or the one it came with', async (_what, path, init, status) => {
    const { url } = await start()
    const ask = (id?: string) => {
      const headers = new Headers(init.headers)
      if (id !== undefined) headers.set('x-request-id', id)
      return fetch(`${url}${path}`, { ...init, headers })
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
    const { url } = await start()
    for (const path of ['/api/marketplace/listings', '/api/nothing']) {
      const reply = await fetch(`${url}${path}`, { headers: { 'x-request-id': id } })
      expect(reply.headers.get('x-request-id')).toMatch(generated)
    }
  })

  it.each([
    ['no request at all', 'nonsense\r\n\r\n'],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n'],
    ['an expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n'],
  ])('%s carries an id', async (_what, bytes) => {
    const { port } = await start()
    const socket = connect(port(), '127.0.0.1')
    socket.write(bytes)
    const [reply]: Buffer[] = await once(socket, 'data')
    expect(reply?.toString()).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/m)
    socket.destroy()
  })

  it('another origin may be read by its script', async () => {
    const { url } = await start()
    const reply = await fetch(`${url}/api/nothing`, { headers: { origin: 'https://market.example' } })
    expect(reply.headers.get('access-control-expose-headers')).toContain('x-request-id')
  })
})

describe('a log line about a failed call', () => {
  it('carries the id of the reply', async () => {
    const { url, lines } = await start()
    const failed = await fetch(`${url}/api/config`)
    await fetch(`${url}/api/nothing`, { headers: { 'x-request-id': 'mine' } })
    const requestId = failed.headers.get('x-request-id')
    expect(lines.filter(({ msg }) => msg === 'a call failed')).toMatchObject([
      { level: 50, requestId, call: 'GET /api/config', err: { stack: expect.stringContaining('nobody foresaw this') } },
    ])
    expect(lines.filter(({ msg }) => msg === 'a call was refused')).toMatchObject([{ requestId: 'mine', code: 'NOT_FOUND' }])
  })
})
