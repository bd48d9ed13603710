import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

import { Failure } from '@juicebar/contract/errors'
import { describe, expect, it, onTestFinished } from 'vitest'

import { answered } from '../../src/http/api/route.ts'
import { serve } from './test-server.ts'

const html = { accept: 'text/html,application/xhtml+xml' }

async function builtPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-page-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Juicebar</title>')
  await writeFile(join(folder, 'assets', 'app-1a2b3c.js'), 'run()')
  await writeFile(join(folder, 'assets', 'app-1a2b3c.js.br'), brotliCompressSync('run()'))
  await writeFile(join(folder, '.env'), 'SECRET=1')
  return folder
}

describe('the web app', () => {
  it('is never cached, but its hashed files forever', async () => {
    const fastify = await serve(() => {}, {}, { pageFolder: await builtPage() })
    const page = await fastify.inject({ url: '/', headers: html })
    expect([page.statusCode, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ])
    const script = await fastify.inject({ url: '/assets/app-1a2b3c.js' })
    expect([script.body, script.headers['cache-control']]).toEqual(['run()', 'public, max-age=31536000, immutable'])
  })

  it('is compressed for clients that accept it', async () => {
    const fastify = await serve(() => {}, {}, { pageFolder: await builtPage() })
    const script = await fastify.inject({ url: '/assets/app-1a2b3c.js', headers: { 'accept-encoding': 'br, gzip' } })
    expect(script.headers['content-encoding']).toBe('br')
    expect(script.headers['content-type']).toMatch(/javascript/)
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(script.headers.vary).toMatch(/accept-encoding/i)
  })

  it.each(['/market', '/listings/5?from=mail'])('is served at %s, an address that only it knows', async (url) => {
    const fastify = await serve(() => {}, {}, { pageFolder: await builtPage() })
    const reply = await fastify.inject({ url, headers: html })
    expect([reply.statusCode, reply.headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(reply.body).toContain('<title>Juicebar</title>')
  })

  it.each([
    ['GET', '/assets/gone.js', html],
    ['GET', '/favicon.ico', html],
    ['GET', '/api/nothing', html],
    ['GET', '/rpc/x', html],
    ['GET', '/docs/x', html],
    ['GET', '/health/x', html],
    ['GET', '/market', { accept: 'application/json' }],
    ['POST', '/market', html],
    ['GET', '/.env', {}],
    ['GET', '/assets/..%2f..%2f..%2fetc%2fpasswd', {}],
    ['GET', '/assets', {}],
  ] as const)('does not answer %s %s', async (method, url, headers) => {
    const fastify = await serve(() => {}, {}, { pageFolder: await builtPage() })
    const reply = await fastify.inject({ method, url, headers: { ...headers } })
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is replaced by a sentence if it has not been built', async () => {
    const fastify = await serve(() => {})
    const reply = await fastify.inject({ url: '/' })
    expect(reply.statusCode).toBe(503)
    expect(reply.body).toContain('npm run build')
  })
})

describe('security headers', () => {
  it('let the web app load nothing from elsewhere', async () => {
    const fastify = await serve(() => {}, {}, { pageFolder: await builtPage() })
    const { headers } = await fastify.inject({ url: '/', headers: html })
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self' ws://localhost:*;" +
        "frame-src solana-wallet:;manifest-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    )
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
  })

  it('require https only if the public origin uses it', async () => {
    const secure = await serve(() => {})
    const plain = await serve(() => {}, { publicOrigin: 'http://localhost:3000' })
    expect((await secure.inject({ url: '/' })).headers['strict-transport-security']).toBe('max-age=31536000')
    expect((await plain.inject({ url: '/' })).headers['strict-transport-security']).toBeUndefined()
  })

  it('let no other origin read replies', async () => {
    const fastify = await serve(() => {})
    const from = (origin: string) => fastify.inject({ url: '/api/openapi.json', headers: { origin } })
    expect((await from('https://market.example')).headers['access-control-allow-origin']).toBe('https://market.example')
    expect((await from('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined()
    expect((await from('null')).headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('the API document', () => {
  it('says of each call who may call it and how it fails', async () => {
    const fastify = await serve((api) => {
      api.player('myListings', 'read', async () => ({ listings: [] }))
      api.studio('studioCases', 'studio', async () => ({ cases: [], nextCursor: null }))
      api.player('logout', 'read', async () => null)
    })
    const { paths } = (await fastify.inject({ url: '/api/openapi.json' })).json()
    expect(Object.keys(paths).toSorted()).toEqual(['/api/auth/logout', '/api/marketplace/my-listings', '/api/studio/cases'])
    expect(paths['/api/marketplace/my-listings'].get).toMatchObject({ operationId: 'myListings', security: [{ session: [] }] })
    expect(paths['/api/studio/cases'].get).toMatchObject({ tags: ['Studio'], security: [{ studioKey: [] }] })
    expect(Object.keys(paths['/api/auth/logout'].post.responses)).toEqual(['204', '4XX', '5XX'])
  })

  it('says of each body whether it is required, and of each reply that is not our JSON what it is', async () => {
    const fastify = await serve((api) => {
      api.player('buy', 'buy', async () => Promise.reject(new Failure('NO_HOLD')))
      api.open('requestNonce', 'sign-in', async () => Promise.reject(new Failure('DATABASE_DOWN')))
      api.open('rpc', 'rpc', async ({ sendJson }) => sendJson('{}'))
      api.open('events', 'read', async () => answered)
    })
    const { paths } = (await fastify.inject({ url: '/api/openapi.json' })).json()
    expect(paths['/api/marketplace/buy/{id}'].post.requestBody.required).toBe(false)
    expect(paths['/api/auth/nonce'].post.requestBody.required).toBe(true)
    const { requestBody, responses } = paths['/rpc'].post
    expect(requestBody).toMatchObject({ required: true, content: { 'application/json': { schema: { required: ['jsonrpc', 'method'] } } } })
    expect(Object.keys(responses[200].content['application/json'].schema.properties)).toEqual(['jsonrpc', 'id', 'result', 'error'])
    expect(Object.keys(paths['/api/marketplace/events'].get.responses[200].content)).toEqual(['text/event-stream'])
    const unasked = await fastify.inject({ method: 'POST', url: '/rpc', payload: { anything: 'the relay decides' } })
    expect(unasked.statusCode).toBe(200)
  })

  it('has a page that loads everything from this server', async () => {
    const fastify = await serve(() => {})
    const page = await fastify.inject({ url: '/docs/' })
    expect(page.statusCode).toBe(200)
    expect(page.body).not.toMatch(/https?:\/\//)
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /)
    for (const [, file] of page.body.matchAll(/(?:src|href)="([^"#]+)"/g)) {
      expect((await fastify.inject({ url: new URL(file ?? '', 'http://x/docs/').pathname })).statusCode).toBe(200)
    }
  })
})
