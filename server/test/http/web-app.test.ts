import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gunzipSync } from 'node:zlib'

import { describe, expect, it, onTestFinished } from 'vitest'

import { renderHead } from '../../src/http/page/page-head.ts'
import { writeBuiltPages } from './built-pages.ts'
import { serve, testHead } from './test-server.ts'

const html = { accept: 'text/html,application/xhtml+xml' }

async function builtPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'juicebar-page-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'assets'))
  await writeBuiltPages(folder)
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
    expect(reply.body).toContain('<title>Moonbase</title>')
  })

  it.each(['/', '/index.html', '/market'])('says at %s what market this is', async (url) => {
    const fastify = await serve(() => {}, {}, { pageFolder: await builtPage() })
    const { body } = await fastify.inject({ url, headers: html })
    expect(body).toBe(`<!doctype html><head>${renderHead(testHead)}</head><p>index</p>`)
  })

  it('is compressed, and not sent again to who has it', async () => {
    const fastify = await serve(() => {}, {}, { pageFolder: await builtPage() })
    const plain = await fastify.inject({ url: '/', headers: html })
    const compressed = await fastify.inject({ url: '/', headers: { ...html, 'accept-encoding': 'br, gzip' } })
    expect([compressed.headers['content-encoding'], compressed.headers.vary]).toEqual(['gzip', 'Origin, Accept-Encoding'])
    expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body)
    expect(compressed.headers.etag).toBe(plain.headers.etag)
    const again = await fastify.inject({ url: '/', headers: { ...html, 'if-none-match': plain.headers.etag ?? '' } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    const head = await fastify.inject({ method: 'HEAD', url: '/', headers: html })
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', plain.headers['content-length']])
  })

  it('is refused if it has no place for the market’s part of its head', async () => {
    const folder = await builtPage()
    await writeFile(join(folder, 'index.html'), '<!doctype html><head></head>')
    await expect(serve(() => {}, {}, { pageFolder: folder })).rejects.toThrow('has no place for the market’s part of its head')
  })

  it('serves the desk as a page of its own, which says whose market it is as well', async () => {
    const fastify = await serve(() => {}, {}, { pageFolder: await builtPage() })
    const desk = await fastify.inject({ url: '/studio', headers: html })
    expect([desk.statusCode, desk.headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(desk.body).toContain('<p>studio</p>')
    expect(desk.body).toContain(renderHead(testHead))
  })

  it('gives its head to the development server even if it has not been built', async () => {
    const fastify = await serve(() => {})
    const head = await fastify.inject({ url: '/files/head.html' })
    expect([head.body, head.headers['cache-control']]).toEqual([renderHead(testHead), 'no-cache'])
  })

  it.each([
    ['GET', '/assets/gone.js', html],
    ['GET', '/favicon.ico', html],
    ['GET', '/api/nothing', html],
    ['GET', '/rpc/x', html],
    ['GET', '/docs/x', html],
    ['GET', '/health/x', html],
    ['GET', '/files/x', html],
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
