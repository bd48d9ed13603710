import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

import { Failure } from '@juicebar/contract/errors'
import { describe, expect, it, onTestFinished } from 'vitest'

import { webManifest } from '../../src/http/page/web-manifest.ts'
import { type Place } from '../../src/http/web-app.ts'
import { writeBuiltPages } from './built-pages.ts'
import { serve, testHead } from './test-server.ts'

async function serveThings(things: Place['describe']) {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-places-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeBuiltPages(folder)
  return serve(() => {}, {}, { pageFolder: folder, describe: things })
}

describe('an address of the web app that is about something of its own', () => {
  it('is the page with its own title and link preview', async () => {
    const fastify = await serveThings(async (id) => ({ title: `Thing ${id}`, description: 'What it is "like" & <more>' }))
    const { statusCode, body, headers } = await fastify.inject({ url: '/thing/a%22b' })
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(body).toContain('<title>Thing a&quot;b · Moonbase</title>')
    expect(body).toContain('<meta property="og:title" content="Thing a&quot;b" />')
    expect(body).toContain('<meta property="og:description" content="What it is &quot;like&quot; &amp; &lt;more&gt;" />')
    expect(body).toContain('<meta property="og:url" content="https://market.example/thing/a%22b" />')
    expect(body).toContain('<p>index</p>')
    expect((await fastify.inject({ url: '/thing/1', headers: { 'if-none-match': String(headers.etag) } })).statusCode).toBe(200)
    expect((await fastify.inject({ url: '/thing/a%22b', headers: { 'if-none-match': String(headers.etag) } })).statusCode).toBe(304)
  })

  it('is compressed, and the same with a query', async () => {
    const fastify = await serveThings(async () => ({ title: 'Moon Rock', description: 'What a moon rock costs.' }))
    const plain = await fastify.inject({ url: '/thing/MOON_ROCK' })
    const compressed = await fastify.inject({ url: '/thing/MOON_ROCK?from=mail', headers: { 'accept-encoding': 'br, gzip' } })
    expect(compressed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body)
  })

  it.each([
    ['/thing/MOON_DUST', 404, 'Not found · Moonbase'],
    ['/thing/moon_rock', 404, 'Not found · Moonbase'],
    ['/thing/', 404, 'Not found · Moonbase'],
    ['/thing/MOON_ROCK/', 404, 'Not found · Moonbase'],
    ['/thing/a.b', 404, 'Not found · Moonbase'],
    ['/thing/MOON_ROCK%3f', 404, 'Not found · Moonbase'],
    ['/thing/away', 503, 'Moonbase'],
  ])('%s is the page with %i, because there is no such thing or nobody can tell', async (url, status, title) => {
    const fastify = await serveThings(async (id) => {
      if (id === 'away') throw new Failure('DATABASE_DOWN')
      return id === 'MOON_ROCK' ? { title: 'Moon Rock', description: 'What a moon rock costs.' } : undefined
    })
    expect((await fastify.inject({ url: '/thing/MOON_ROCK' })).statusCode).toBe(200)
    const { statusCode, body, headers } = await fastify.inject({ url, headers: { 'if-none-match': '*' } })
    expect([statusCode, headers.etag, headers['cache-control']]).toEqual([status, undefined, 'no-store'])
    expect(body).toContain(`<title>${title}</title>`)
    expect(body).toContain('<p>index</p>')
  })

  it('hides what else fails', async () => {
    const fastify = await serveThings(async () => {
      throw new Error('a secret')
    })
    const { statusCode, body } = await fastify.inject({ url: '/thing/1' })
    expect(statusCode).toBe(500)
    expect(body).not.toContain('secret')
  })
})

describe('the web manifest', () => {
  it('has the market’s name, colours and icons', async () => {
    const fastify = await serve(() => {})
    const reply = await fastify.inject({ url: '/files/market.webmanifest' })
    expect(reply.headers['content-type']).toBe('application/manifest+json; charset=utf-8')
    expect(reply.json()).toMatchObject({
      name: 'Moonbase',
      short_name: 'Moonbase',
      theme_color: '#000000',
      icons: [{ sizes: '192x192' }, { sizes: '512x512' }, { purpose: 'maskable' }],
    })
  })

  it('has a studio’s own logo in all sizes, and a short name that fits below it', () => {
    const settings = { ...testHead.settings, title: 'Comet Tea House', logo: '/files/logo.1a.svg' }
    expect(webManifest({ ...testHead, settings })).toMatchObject({
      name: 'Comet Tea House',
      short_name: 'Comet Tea',
      icons: [{ src: '/files/logo.1a.svg', sizes: 'any', type: 'image/svg+xml' }],
    })
  })
})
