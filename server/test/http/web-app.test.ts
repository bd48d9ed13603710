import { brotliCompressSync, gunzipSync } from 'node:zlib'
import { Failure } from '@juicebar/contract/errors'
import { MARKET_SETTINGS_ID } from '@juicebar/contract/market-settings'
import fc from 'fast-check'
import { fastify as createFastify } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { renderHead, renderPage, webManifest } from '../../src/http/page-head.ts'
import { registerSecurityTxt, type SecurityTxtOptions } from '../../src/http/security-txt.ts'
import { type Place } from '../../src/http/web-app.ts'
import { readText, root } from '../docs/repository.ts'
import { builtPages, serve, testHead } from './test-server.ts'

const html = { accept: 'text/html,application/xhtml+xml' }

const moonRock = { title: 'Moon Rock', description: 'What a moon rock costs.' }
const block = new RegExp(`<script type="application/json" id="${MARKET_SETTINGS_ID}">(.*?)</script>`, 's')

/** The web app as it was built, with some files. */
async function serveBuilt() {
  const script = { 'assets/app-1a2b3c.js': 'run()', 'assets/app-1a2b3c.js.br': brotliCompressSync('run()') }
  return serve(() => {}, {}, { pageFolder: await builtPages({ ...script, '.env': 'SECRET=1' }) })
}

describe('the web app', () => {
  it('is never cached, but its hashed files forever', async () => {
    const fastify = await serveBuilt()
    const page = await fastify.inject({ url: '/', headers: html })
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
    const script = await fastify.inject({ url: '/assets/app-1a2b3c.js' })
    expect([script.body, script.headers['cache-control']]).toEqual(['run()', 'public, max-age=31536000, immutable'])
  })

  it('is compressed for clients that accept it', async () => {
    const fastify = await serveBuilt()
    const script = await fastify.inject({ url: '/assets/app-1a2b3c.js', headers: { 'accept-encoding': 'br, gzip' } })
    expect(script.headers).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'public, max-age=31536000, immutable' })
    expect(script.headers['content-type']).toMatch(/javascript/)
    expect(script.headers.vary).toMatch(/accept-encoding/i)
  })

  it.each(['/market', '/listings/5?from=mail'])('is served at %s, where nothing is, as not found', async (url) => {
    const fastify = await serveBuilt()
    const reply = await fastify.inject({ url, headers: html })
    expect([reply.statusCode, reply.headers['cache-control']]).toEqual([404, 'no-store'])
    expect(reply.body).toContain('<title>Not found · Moonbase</title>')
  })

  it.each(['/', '/index.html'])('says at %s what market this is', async (url) => {
    const fastify = await serveBuilt()
    const { body } = await fastify.inject({ url, headers: html })
    expect(body).toBe(`<!doctype html><head>${renderHead(testHead)}</head><p>index</p>`)
  })

  it('is compressed, and not sent again to who has it', async () => {
    const fastify = await serveBuilt()
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
    const pageFolder = await builtPages({ 'index.html': '<!doctype html><head></head>' })
    await expect(serve(() => {}, {}, { pageFolder })).rejects.toThrow('has no place for the market’s part of its head')
  })

  it('serves the desk as a page of its own, which says whose market it is as well', async () => {
    const fastify = await serveBuilt()
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
    const fastify = await serveBuilt()
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
    const fastify = await serveBuilt()
    const { headers } = await fastify.inject({ url: '/', headers: html })
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self' ws://localhost:*;" +
        "frame-src solana-wallet:;manifest-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none'",
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

describe('an address of the web app that is about something of its own', () => {
  const serveThings = async (things: Place['describe']) => serve(() => {}, {}, { pageFolder: await builtPages(), describe: things })

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
    const fastify = await serveThings(async () => moonRock)
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
      return id === 'MOON_ROCK' ? moonRock : undefined
    })
    expect((await fastify.inject({ url: '/thing/MOON_ROCK' })).statusCode).toBe(200)
    const { statusCode, body, headers } = await fastify.inject({ url, headers: { 'if-none-match': '*' } })
    expect([statusCode, headers.etag, headers['cache-control']]).toEqual([status, undefined, 'no-store'])
    expect(body).toContain(`<title>${title}</title>`)
    expect(body).toContain('<p>index</p>')
  })

  it.each(['/pop-up/MOON_ROCK', '/pop-up/MOON_DUST', '/pop-up/away'])(
    '%s stays connected to the page of another site that opened it, and is never framed',
    async (url) => {
      const fastify = await serveThings(async (id) => {
        if (id === 'away') throw new Failure('DATABASE_DOWN')
        return id === 'MOON_ROCK' ? moonRock : undefined
      })
      const { headers } = await fastify.inject({ url })
      expect(headers['cross-origin-opener-policy']).toBe('unsafe-none')
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['x-frame-options']).toBe('DENY')
    },
  )

  it('has the browser fetch the market’s listings along with it, unless it stands alone', async () => {
    const pageFolder = await builtPages({ 'index.html': await readText('web/index.html') })
    const fastify = await serve(() => {}, {}, { pageFolder, describe: async () => moonRock })
    const preloads = async (url: string) => (await fastify.inject({ url })).body.match(/(?<=preload" href=")[^"]+/g)
    const [always, listings] = [['/health', '/api/config'], '/api/marketplace/listings?sort=newest']
    expect(await preloads('/thing/MOON_ROCK')).toEqual([...always, listings])
    expect(await preloads('/pop-up/MOON_ROCK')).toEqual(always)
  })

  it.each(['/', '/market', '/thing/MOON_ROCK', '/studio', '/api/nothing', '/pop-up'])(
    '%s is cut off from the page that opened it, and is never framed',
    async (url) => {
      const fastify = await serveThings(async () => moonRock)
      const { headers } = await fastify.inject({ url, headers: html })
      expect(headers['cross-origin-opener-policy']).toBe('same-origin')
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    },
  )

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

describe('security.txt', () => {
  const publicOrigin = 'https://market.example'
  const policyFile = `${root}/SECURITY.md`
  const path = '/.well-known/security.txt'

  async function ask(options: Partial<SecurityTxtOptions>, url = path) {
    const fastify = createFastify()
    onTestFinished(() => fastify.close())
    await registerSecurityTxt(fastify, { publicOrigin, contact: undefined, policyFile: undefined, ...options })
    return fastify.inject(url)
  }

  /** The fields of a `security.txt`, in their order. */
  function fieldsOf(text: string): [name: string, value: string][] {
    const lines = text.trimEnd().split('\n')
    return lines.map((line) => line.split(/: (.*)/s) as [string, string])
  }

  it('names the contact of the market, is plain text, and expires in less than a year', async () => {
    const reply = await ask({ contact: 'mailto:security@studio.example', policyFile })
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    const fields = new Map(fieldsOf(reply.body))
    expect([...fields.keys()]).toEqual(['Contact', 'Expires', 'Policy', 'Canonical'])
    expect(fields.get('Contact')).toBe('mailto:security@studio.example')
    expect(fields.get('Canonical')).toBe(`${publicOrigin}${path}`)
    const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(179)
    expect(days).toBeLessThan(365)
  })

  it('points to the policy if no contact is set, and the policy is there', async () => {
    const [[name, contact] = []] = fieldsOf((await ask({ policyFile })).body)
    expect([name, contact]).toEqual(['Contact', `${publicOrigin}/security-policy.txt`])
    expect((await ask({ policyFile }, new URL(contact ?? '').pathname)).body).toBe(await readText('SECURITY.md'))
  })

  it('is not there if there is nothing honest to say', async () => {
    expect((await ask({})).statusCode).toBe(404)
  })
})

describe('the market’s part of the page’s head', () => {
  it('is the title, the description, the link preview, the icon and the settings', () => {
    const lines = renderHead(testHead).split('\n')
    expect(lines.map((line) => line.trim())).toEqual([
      '<title>Moonbase</title>',
      '<meta name="description" content="Trade moon rocks." />',
      '<meta property="og:type" content="website" />',
      '<meta property="og:title" content="Moonbase" />',
      '<meta property="og:description" content="Trade moon rocks." />',
      '<meta property="og:image" content="https://market.example/preview.png" />',
      '<meta property="og:image:width" content="1200" />',
      '<meta property="og:image:height" content="630" />',
      '<meta name="twitter:card" content="summary_large_image" />',
      '<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#000000" />',
      '<meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff" />',
      '<link rel="manifest" href="/files/market.webmanifest" />',
      '<link rel="icon" href="/favicon.svg" type="image/svg+xml" />',
      '<script type="application/json" id="market-settings">{"title":"Moonbase","logo":"/favicon.svg","welcome":null,"footer":null,"catalogue":[],"ownItems":false}</script>',
    ])
  })

  it('loads the style sheet before anything is drawn', () => {
    const head = renderHead({ ...testHead, styleSheet: '/files/colors.1a2b.css' })
    expect(head).toContain('<link rel="stylesheet" href="/files/colors.1a2b.css" />')
  })

  it('has the browser fetch the picture that a page is about', () => {
    const page = { ...moonRock, path: '/thing/MOON_ROCK' }
    const head = renderHead({ ...testHead, page: { ...page, picture: '/files/rock.1a2b.svg' } })
    expect(head).toContain('<link rel="preload" as="image" href="/files/rock.1a2b.svg" fetchpriority="high" />')
    expect(renderHead({ ...testHead, page })).not.toContain('preload')
  })

  it('shows a picture of unknown size small', () => {
    const head = renderHead({ ...testHead, preview: { path: '/files/logo.1a2b.webp' } })
    expect(head.match(/<meta (?:property="og:image|name="twitter).*>/g)).toEqual([
      '<meta property="og:image" content="https://market.example/files/logo.1a2b.webp" />',
      '<meta name="twitter:card" content="summary" />',
    ])
  })

  it('has no preview picture if only this machine knows the market’s address', () => {
    expect(renderHead({ ...testHead, publicOrigin: undefined })).not.toMatch(/og:image|twitter:card/)
  })

  const exits = [
    '</script><script>alert(1)</script>',
    '<!--<script>',
    '</title>',
    '" onload="alert(1)',
    '&quot;',
    '$&',
    '<!--market-head-->',
  ]

  it.each(exits)('cannot be left by %s', (text) => {
    const head = renderHead({ ...testHead, description: text, settings: { ...testHead.settings, title: text } })
    const settings = block.exec(head)?.[1] ?? ''
    expect(JSON.parse(settings)).toEqual({ ...testHead.settings, title: text })
    expect(settings).not.toContain('<')
    expect(tagsOf(head)).toEqual(tagsOf(renderHead(testHead)))
    expect(renderPage('<head><!--market-head--></head>', { ...testHead, description: text })?.match(/<\/head>/g)).toHaveLength(1)
  })

  it('carries any text unchanged, in attributes and in the block', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const head = renderHead({ ...testHead, description: text, settings: { ...testHead.settings, title: text } })
        expect(JSON.parse(block.exec(head)?.[1] ?? '')).toEqual({ ...testHead.settings, title: text })
        const [, description = ''] = /name="description" content="([^"]*)"/.exec(head) ?? []
        expect(unescape(description)).toBe(text)
      }),
    )
  })
})

describe('a page', () => {
  it('needs exactly one place for it', () => {
    expect(renderPage('<head></head>', testHead)).toBeUndefined()
    expect(renderPage('<!--market-head--><!--market-head-->', testHead)).toBeUndefined()
  })
})

/** The tags outside the block of settings. */
function tagsOf(head: string) {
  return head.replace(block, '').match(/<\/?(\w+)/g)
}

/** As a browser reads the text of an attribute. */
function unescape(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
