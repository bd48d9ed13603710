import { gunzipSync } from 'node:zlib'
import { endpoints } from '@juicebar/contract/endpoints'
import { type ErrorCode, errors } from '@juicebar/contract/errors'
import { schemas } from '@juicebar/contract/schemas'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import Type from 'typebox'
import { beforeAll, describe, expect, it } from 'vitest'
import { createChain } from '../../src/chain/client/solana-chain.ts'
import { connectDatabase } from '../../src/database/connect.ts'
import { failuresOf, createSchemaNames } from '../../src/http/call-failures.ts'
import { createMarketApp } from './market-server.ts'
import { serve, silent } from './test-server.ts'

/** What a whole server serves, which has neither a database nor a chain. */
let document: ReturnType<typeof JSON.parse>

beforeAll(async () => {
  const connection = connectDatabase('postgresql://nobody@127.0.0.1:9/none', () => undefined)
  const chain = createChain({ endpoints: ['http://127.0.0.1:9'], log: silent })
  const app = await createMarketApp({ connection, chain })
  document = (await app.fastify.inject('/api/openapi.json')).json()
  await app.stop()
  await chain.stop()
  await connection.close()
})

/** The operations of a document, each with its method and path. */
function operationsOf(paths: Record<string, Record<string, object>>): ReturnType<typeof JSON.parse>[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, place: `${method.toUpperCase()} ${path}` })),
  )
}

describe('the API document', () => {
  it('keeps the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    expect(await lintFromString({ source: JSON.stringify(document), config })).toEqual([])
  })

  it('describes every call of the contract, and each of its parameters', async () => {
    const { paths } = document
    const operations = operationsOf(paths)
    const served = operations.map(({ operationId, place }) => [operationId, place.replaceAll(/\{(\w+)\}/g, ':$1')])
    expect(Object.fromEntries(served)).toEqual(endpoints)
    expect(operations.filter(({ summary, description, tags }) => !summary || !description || tags.length !== 1)).toEqual([])
    const parameters = operations.flatMap(({ operationId, parameters = [] }) => parameters.map((one: object) => ({ operationId, ...one })))
    expect(parameters.filter((parameter: object) => !('description' in parameter))).toEqual([])
  })

  it('names every error code of the contract in a reply of its status', async () => {
    const { paths, components } = document
    const named = new Set<string>()
    for (const { responses } of operationsOf(paths)) {
      for (const [status, reply] of Object.entries<ReturnType<typeof JSON.parse>>(responses)) {
        const { content } = reply.$ref ? components.responses[reply.$ref.split('/').at(-1)] : reply
        for (const code of content?.['application/json']?.schema.allOf?.[1].properties.code.enum ?? []) named.add(`${status} ${code}`)
      }
    }
    // Wallets that open a payment link hear theirs as `{ message }`.
    const ofPaymentLinks = ['409 PAY_LINK_ELSEWHERE', '409 PAY_LINK_HELD', '409 PAY_LINK_PAID', '410 PAY_LINK_EXPIRED']
    const ofNoCall = ['404 NOT_FOUND', '405 METHOD_NOT_ALLOWED', ...ofPaymentLinks]
    expect([...named, ...ofNoCall].toSorted()).toEqual(
      Object.entries(errors)
        .map(([code, { status }]) => `${status} ${code}`)
        .toSorted(),
    )
  })

  it('says who may call, and which body may be left out', async () => {
    const { paths } = document
    expect(paths['/api/marketplace/my-listings'].get.security).toEqual([{ session: [] }])
    expect(paths['/api/studio/cases'].get.security).toEqual([{ session: [] }, { studioKey: [] }])
    expect(paths['/api/marketplace/listings'].get.security).toEqual([])
    expect(paths['/api/marketplace/events'].get.security).toEqual([{}, { session: [] }])
    expect(paths['/api/marketplace/buy/{id}'].post.requestBody.required).toBe(false)
    expect(paths['/api/auth/nonce'].post.requestBody.required).toBe(true)
  })

  it('describes what the framework neither validates nor serialises', async () => {
    const { paths } = document
    const relay = paths['/rpc'].post
    expect(relay.requestBody.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/JsonRpcRequest' })
    expect(relay.responses[200].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/JsonRpcReply' })
    const events = paths['/api/marketplace/events'].get
    expect(events.responses[200].content['text/event-stream'].schema.items).toEqual({ $ref: '#/components/schemas/ServerSentEvent' })
    expect(events.parameters).toMatchObject([{ in: 'header', name: 'Last-Event-ID' }])
    const listings = paths['/api/marketplace/listings'].get
    expect(Object.keys(listings.responses[200].headers)).toEqual(['ETag', 'Last-Event-ID', 'Cache-Control', 'Age'])
    expect(Object.keys(listings.responses[304].headers)).toEqual(['ETag', 'Last-Event-ID', 'Cache-Control'])
  })

  it('asks for one of two fields by one of two schemas, and names tokens', async () => {
    const { components } = document
    const { CreateListing, ListingByTokenType, ListingByTokenName, TokenTypeOrName } = components.schemas
    const eitherSchema = ['ListingByTokenType', 'ListingByTokenName'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
    expect(CreateListing.oneOf).toEqual(eitherSchema)
    expect(ListingByTokenType.required).toEqual(['tokenType', 'price', 'amount'])
    expect(ListingByTokenName.required).toEqual(['tokenName', 'price', 'amount'])
    expect(TokenTypeOrName.enum).toContain('APPLE_JUICE')
    expect(TokenTypeOrName.enum).toContain('Apple Juice')
  })

  it('tells how long to wait wherever a reply does', async () => {
    const { paths, components } = document
    expect(Object.keys(components.responses.TOO_MANY_REQUESTS.headers)).toEqual(['Retry-After'])
    expect(Object.keys(paths['/api/marketplace/buy/{id}'].post.responses[429].headers)).toEqual(['Retry-After'])
  })

  it('names the public server', async () => {
    const served = async (publicOrigin: string) => (await (await serve(() => {}, { publicOrigin })).inject('/api/openapi.json')).json()
    expect((await served('https://market.example')).servers).toMatchObject([{ url: 'https://market.example' }])
    expect((await served('http://localhost:3000')).servers).toMatchObject([{ url: '/' }])
  })
})

describe('the reply with the API document', () => {
  it.each(['/api/openapi.json', '/docs/json'])('is small for whoever takes gzip, and has no body for whoever has it: %s', async (url) => {
    const fastify = await serve(() => {})
    const ask = (headers: Record<string, string>) => fastify.inject({ url, headers })
    const [plain, small] = [await ask({}), await ask({ 'accept-encoding': 'gzip' })]
    expect(plain.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', vary: 'Origin, Accept-Encoding' })
    expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', etag: plain.headers.etag, 'cache-control': 'no-cache' })
    expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body)
    const known = await ask({ 'if-none-match': String(plain.headers.etag) })
    expect([known.statusCode, known.body]).toEqual([304, ''])
  })
})

describe('a named schema', () => {
  it('is written once, and no other may have its name', () => {
    const names = createSchemaNames()
    const fruit = Type.Object({ peel: Type.Boolean() }, { title: 'Fruit' })
    expect(names.reference(Type.Array(fruit))).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Fruit' } })
    expect(names.reference(Type.Optional(fruit))).toEqual({ $ref: '#/components/schemas/Fruit' })
    expect(names.named).toEqual({ Fruit: { type: 'object', required: ['peel'], properties: { peel: { type: 'boolean' } } } })
    expect(() => names.reference(Type.String({ title: 'Fruit' }))).toThrow('two schemas of the contract are called Fruit')
  })
})

describe('the failures of a call', () => {
  it('are those of its rules and those of its kind', () => {
    const ofAny: ErrorCode[] = ['BAD_REQUEST', 'BODY_TOO_LARGE', 'REQUEST_TIMEOUT', 'EXPECTATION_FAILED', 'INTERNAL', 'TOO_MANY_REQUESTS']
    expect(failuresOf('config', 'open')).toEqual(ofAny)
    const ofItsKind: ErrorCode[] = ['FIELDS_MISSING', 'UNSUPPORTED_MEDIA_TYPE', 'DATABASE_DOWN', 'UNAUTHORIZED', 'SESSION_ENDED']
    expect(failuresOf('createListing', 'player')).toEqual(expect.arrayContaining([...ofItsKind, ...schemas.createListing.failures]))
  })
})
