import { errors, Failure } from '@juicebar/contract/errors'
import fc from 'fast-check'
import { type FastifyInstance, type InjectOptions } from 'fastify'
import { describe, expect, it } from 'vitest'
import { answered } from '../../src/http/route.ts'
import { builtPages, PLAYER, serve, signedIn, STUDIO_KEY } from './test-server.ts'

const listing = { tokenType: 'APPLE_JUICE', price: 0.5, amount: 3 }

function createListing(payload: unknown, headers: Record<string, string> = {}) {
  return {
    method: 'POST' as const,
    url: '/api/marketplace/listings',
    headers: { ...signedIn, 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  }
}

async function serveListings(pageFolder = '/nowhere') {
  const seen: unknown[] = []
  const fastify = await serve(
    (api) => {
      api.player('createListing', 'write', async ({ body, player }) => {
        seen.push({ body, player })
        throw new Failure('INSUFFICIENT_TOKENS')
      })
      api.open('listings', 'read', async ({ query }) => {
        seen.push(query)
        return { listings: [], nextCursor: null }
      })
      api.open('listing', 'read', async ({ params }) => {
        seen.push(params)
        throw new Failure('LISTING_NOT_FOUND')
      })
      api.player('buy', 'buy', async ({ body }) => {
        seen.push(body)
        throw new Failure('NO_HOLD')
      })
      api.player('logout', 'read', async () => null)
    },
    {},
    { pageFolder },
  )
  return { fastify, seen }
}

/** The status and the code of a reply. */
async function answerOf(fastify: FastifyInstance, request: InjectOptions): Promise<[number, string]> {
  const reply = await fastify.inject(request)
  return [reply.statusCode, reply.json().code]
}

const serveFailing = (error: Error) => serve((api) => api.open('config', 'read', () => Promise.reject(error)))
const serveStudio = () => serve((api) => api.studio('studioCases', 'read', async () => ({ cases: [], nextCursor: null })))

describe('an idempotency key', () => {
  it.each(['', 'x'.repeat(129)])('that is too short or too long is refused', async (key) => {
    const { fastify, seen } = await serveListings()
    const reply = await fastify.inject(createListing(listing, { 'idempotency-key': key }))
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ code: 'BAD_REQUEST', error: 'idempotency-key must be 1 to 128 characters, one for each listing.' })
    expect(seen).toEqual([])
  })
})

describe('a body', () => {
  it('reaches the handler exactly as it was sent', async () => {
    const { fastify, seen } = await serveListings()
    const reply = await fastify.inject(createListing(listing))
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toEqual({ error: errors.INSUFFICIENT_TOKENS.text, code: 'INSUFFICIENT_TOKENS' })
    expect(seen).toEqual([{ body: listing, player: PLAYER }])
  })

  it.each([
    ['a price in a list', { ...listing, price: [5] }, 'PRICE_INVALID'],
    ['a price as text', { ...listing, price: '5' }, 'PRICE_INVALID'],
    ['an amount of true', { ...listing, amount: true }, 'AMOUNT_INVALID'],
    ['half a token', { ...listing, amount: 1.5 }, 'AMOUNT_INVALID'],
    ['a number as token type', { ...listing, tokenType: 7 }, 'BAD_REQUEST'],
    ['an endless token type', { ...listing, tokenType: 'x'.repeat(41) }, 'BAD_REQUEST'],
    ['a text for yes', { ...listing, divisible: 'yes' }, 'BAD_REQUEST'],
    ['an unknown field', { ...listing, seller: PLAYER }, 'BAD_REQUEST'],
    ['a NUL character', { ...listing, tokenType: 'APPLE\0' }, 'BAD_REQUEST'],
    ['half a character', { ...listing, tokenType: 'APPLE\ud83e' }, 'BAD_REQUEST'],
    ['a list', [listing], 'BAD_REQUEST'],
    ['a bare text', '"listing"', 'BAD_REQUEST'],
    ['no price', { tokenType: 'APPLE_JUICE', amount: 1 }, 'FIELDS_MISSING'],
    ['a null price', { ...listing, price: null }, 'FIELDS_MISSING'],
    ['an empty amount', { ...listing, amount: '' }, 'FIELDS_MISSING'],
    ['nothing', '', 'FIELDS_MISSING'],
    ['null', 'null', 'FIELDS_MISSING'],
    ['broken JSON', '{"price": 1', 'BAD_REQUEST'],
    ['a prototype', '{"__proto__": {"price": 1}}', 'BAD_REQUEST'],
    ['a number beyond doubles', '{"price": 1e999, "amount": 1}', 'PRICE_INVALID'],
  ] as const)('with %s is refused', async (_what, payload, code) => {
    const { fastify, seen } = await serveListings()
    expect(await answerOf(fastify, createListing(payload))).toEqual([400, code])
    expect(seen).toEqual([])
  })

  it('says which field is wrong and what it must be', async () => {
    const { fastify } = await serveListings()
    const complaint = async (request: InjectOptions) => (await fastify.inject(request)).json().error
    const about = (field: object) => complaint(createListing({ ...listing, ...field }))
    expect(await about({ tokenType: 7 })).toBe('tokenType must be a token type or its display name.')
    expect(await about({ divisible: 1 })).toBe('divisible must be true or false.')
    expect(await about({ colour: 'red' })).toBe('There is no field called "colour" here.')
    const sorts = 'newest, oldest, price, -price, unitPrice, -unitPrice'
    expect(await complaint({ url: '/api/marketplace/listings?sort=cheapest' })).toBe(`sort must be one of ${sorts}.`)
  })

  it('that is too large is refused before it is read', async () => {
    const { fastify } = await serveListings()
    const large = createListing({ ...listing, tokenType: 'x'.repeat(20_000) })
    expect(await answerOf(fastify, large)).toEqual([413, 'BODY_TOO_LARGE'])
  })

  it('of another type is refused, unless it is empty', async () => {
    const { fastify, seen } = await serveListings()
    const form = createListing('price=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(await answerOf(fastify, form)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    for (const type of ['application/json', 'text/plain;charset=UTF-8']) {
      const headers = { ...signedIn, 'content-type': type, 'content-length': '0' }
      const reply = await fastify.inject({ method: 'POST', url: '/api/marketplace/buy/1', headers })
      expect(reply.json()).toMatchObject({ code: 'NO_HOLD' })
    }
    expect(seen).toEqual([null, null])
  })

  it('is never answered with a 500, whatever JSON it is', async () => {
    const { fastify } = await serveListings()
    const almost = fc.record({ tokenType: fc.anything(), price: fc.anything(), amount: fc.anything() }).map(jsonText)
    const property = fc.asyncProperty(fc.oneof(fc.json(), almost), async (text) => {
      const reply = await fastify.inject(createListing(text))
      expect([400, 409, 429]).toContain(reply.statusCode)
      expect(Object.keys(reply.json())).toEqual(['error', 'code'])
    })
    await fc.assert(property, { numRuns: 50 })
  })
})

describe('a query string', () => {
  it('has its integers parsed, and nothing else', async () => {
    const { fastify, seen } = await serveListings()
    await fastify.inject({ url: '/api/marketplace/listings?limit=20&search=20' })
    expect(seen).toEqual([{ limit: 20, search: '20' }])
  })

  const wrongLimits = ['0', '201', '1.5', '0x10', '1e1', '', 'true', '1&limit=2'].map((limit) => `limit=${limit}`)

  it.each([...wrongLimits, 'sort=x', 'page=2', 'search=a%00b'])('with %s is refused', async (query) => {
    const { fastify } = await serveListings()
    expect(await answerOf(fastify, { url: `/api/marketplace/listings?${query}` })).toEqual([400, 'BAD_REQUEST'])
  })
})

describe('an address', () => {
  it.each([
    ['GET', '/api/nothing', 404, 'NOT_FOUND'],
    ['POST', '/nothing', 404, 'NOT_FOUND'],
    ['GET', '/api/marketplace/listings/%E0%A4%A', 400, 'BAD_REQUEST'],
    ['GET', '/api/marketplace/listings/a%00b', 400, 'BAD_REQUEST'],
    ['GET', `/api/marketplace/listings/${'x'.repeat(65)}`, 400, 'BAD_REQUEST'],
    ['GET', `/api/marketplace/listings/${'x'.repeat(300)}`, 400, 'BAD_REQUEST'],
    ['PUT', '/api/marketplace/listings', 405, 'METHOD_NOT_ALLOWED'],
    ['PATCH', '/api/marketplace/listings/1', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/api/marketplace/buy/1', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/api/marketplace/listings/', 404, 'NOT_FOUND'],
    ['GET', '/api/marketplace/listings/?limit=1', 404, 'NOT_FOUND'],
    ['GET', '/health/', 404, 'NOT_FOUND'],
    ['POST', '/api/marketplace/buy/', 404, 'NOT_FOUND'],
    ['POST', '/api/auth/logout/', 404, 'NOT_FOUND'],
  ] as const)('%s %s answers %i, with a web app and without one', async (method, url, status, code) => {
    for (const pageFolder of ['/nowhere', await builtPages()]) {
      const { fastify } = await serveListings(pageFolder)
      expect(await answerOf(fastify, { method, url })).toEqual([status, code])
    }
  })

  it('names the methods that it accepts', async () => {
    const { fastify } = await serveListings()
    const reply = await fastify.inject({ method: 'PUT', url: '/api/marketplace/listings?x=1' })
    expect(reply.headers.allow).toBe('GET, POST, HEAD, OPTIONS')
  })

  it('names no method that it refuses: an event stream has no head to ask for', async () => {
    const fastify = await serve((api) => api.open('events', 'read', async () => answered))
    const reply = await fastify.inject({ method: 'HEAD', url: '/api/marketplace/events' })
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET, OPTIONS'])
  })
})

describe('an unforeseen error', () => {
  it('is answered without its text', async () => {
    const fastify = await serveFailing(new Error('select * from secrets'))
    const reply = await fastify.inject({ url: '/api/config' })
    expect(reply.statusCode).toBe(500)
    expect(reply.json()).toEqual({ error: errors.INTERNAL.text, code: 'INTERNAL' })
  })

  it.each([
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    new AggregateError([Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })]),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
    Object.assign(new Error('starting up'), { code: '57P03' }),
    new Error('timeout exceeded when trying to connect'),
    new Error('migration failed', { cause: Object.assign(new Error('lost'), { code: '08006' }) }),
  ])('that means that the database is away answers 503: %s', async (error) => {
    const fastify = await serveFailing(error)
    expect(await answerOf(fastify, { url: '/api/config' })).toEqual([503, 'DATABASE_DOWN'])
  })
})

describe('who calls', () => {
  it('needs a session for a call of players, before anything else is checked', async () => {
    const { fastify } = await serveListings()
    const strange = { ...createListing('{'), headers: { 'content-type': 'application/json' } }
    expect(await answerOf(fastify, strange)).toEqual([401, 'UNAUTHORIZED'])
    expect(await answerOf(fastify, createListing('{', { authorization: 'Bearer bad' }))).toEqual([401, 'SESSION_ENDED'])
  })

  const almostKeys = [`Basic ${STUDIO_KEY}`, `Bearer ${STUDIO_KEY}x`, `Bearer ${STUDIO_KEY.slice(0, -1)}`]

  const wrong = [undefined, '', 'Bearer', 'Bearer wrong', ...almostKeys, 'Bearer good']

  it.each(wrong)('needs the studio key for a call of the studio; %s is not it', async (authorization) => {
    const headers = authorization === undefined ? {} : { authorization }
    expect(await answerOf(await serveStudio(), { url: '/api/studio/cases', headers })).toEqual([401, 'STUDIO_KEY_INVALID'])
  })

  it('is let in with the studio key', async () => {
    const fastify = await serveStudio()
    const reply = await fastify.inject({ url: '/api/studio/cases', headers: { authorization: `Bearer ${STUDIO_KEY}` } })
    expect([reply.statusCode, reply.json()]).toEqual([200, { cases: [], nextCursor: null }])
  })
})

describe('a success', () => {
  it('has the only status in the contract, or the one that the handler sets', async () => {
    const down = { status: 'down', database: 'down', chain: 'ok', migrating: false, version: '1' } as const
    const fastify = await serve((api) => {
      api.player('logout', 'read', async () => null)
      api.open('health', 'read', async ({ status }) => {
        status(503)
        return { ...down, age: { events: 0, reconciliation: 0 } }
      })
      api.open('listings', 'read', async ({ sendJson }) => sendJson('{"listings":[],"nextCursor":"rendered"}'))
    })
    const logout = await fastify.inject({ method: 'POST', url: '/api/auth/logout', headers: signedIn })
    expect([logout.statusCode, logout.body]).toEqual([204, ''])
    expect((await fastify.inject({ url: '/health' })).statusCode).toBe(503)
    const listings = await fastify.inject({ url: '/api/marketplace/listings' })
    expect(listings.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(listings.json()).toEqual({ listings: [], nextCursor: 'rendered' })
  })
})

function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
}
