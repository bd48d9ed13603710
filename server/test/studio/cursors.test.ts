import { endpoints, type EndpointName } from '@juicebar/contract/endpoints'
import { studioEndpoints } from '@juicebar/contract/endpoints/studio'
import { schemas } from '@juicebar/contract/schemas'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { addPlayer, offer, openStoreMarket, type StoreMarket } from '../purchases/baskets/store-market.ts'
import { settledPurchase } from './sales/sale-market.ts'
import { startStudio } from './studio-client.ts'

let market: StoreMarket

beforeAll(async () => {
  market = await openStoreMarket()
  const seller = await addPlayer(market)
  for (let count = 0; count < 2; count++)
    await settledPurchase(market, await addPlayer(market), [{ listingId: await offer(market, seller) }])
})
afterAll(() => market.close())

/** The studio's lists, and what each calls the place where a page begins. */
const lists = (Object.keys(studioEndpoints) as EndpointName[]).flatMap((name) => {
  const schema = schemas[name]
  const fields = 'querystring' in schema ? Object.keys(schema.querystring.properties) : []
  const field = fields.find((known) => known === 'cursor' || known === 'after')
  return field === undefined ? [] : [{ name, field }]
})

const id = '01a1f7e3-d2be-70a3-b634-7c62066aaf1d'
const wallet = '5dEbMXXa19nLdjj9tZKzq9ZQPYVhSxV2eJo4skXNZuzb'
const number = fc.oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.constantFrom(0n, 2n ** 63n - 1n, 2n ** 63n))
const cursors = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.uuid(),
  number.map(String),
  fc.tuple(number, number).map(([ordinal, time]) => `${ordinal}-${time}`),
  fc.tuple(number, fc.constantFrom(wallet, 'x', '')).map(([time, address]) => `${time}.${address}`),
  fc.tuple(fc.constantFrom('waits', 'closed', 'open'), fc.constantFrom('.', ':', '-'), fc.uuid()).map((parts) => parts.join('')),
  fc.constantFrom(
    '',
    '0-0',
    '00-00',
    `${'9'.repeat(19)}-1`,
    `1-${'9'.repeat(19)}`,
    '1e3-1',
    'null',
    '[]',
    '{}',
    '\0',
    '%00',
    `'; drop table sales; --`,
    'x'.repeat(5_000),
  ),
  fc.json().map((text) => Buffer.from(text).toString('base64url')),
)

describe('a cursor', () => {
  it('exists for every list of the studio', () => {
    expect(lists.map(({ name }) => name).toSorted()).toEqual([
      'audits',
      'studioBlocks',
      'studioCases',
      'studioKeys',
      'studioLog',
      'studioPurchases',
      'studioSales',
      'webhookDeliveries',
      'webhooks',
    ])
  })

  it.each(lists)('of any content is a place or is refused: $name', async ({ name, field }) => {
    const { call } = await startStudio(market.databaseUrl)
    const hook = { url: 'https://game.example/', events: ['sale.settled'] }
    const { webhook } = (await call('POST', '/webhooks', { body: hook })).body
    const path = endpoints[name].replace('GET /api/studio', '').replace(':id', webhook.id)
    expect((await call('GET', path)).status).toBe(200)
    await fc.assert(
      fc.asyncProperty(fc.array(cursors, { minLength: 1, maxLength: 2 }), async (given) => {
        const query = given.map((cursor) => `${field}=${encodeURIComponent(cursor)}`).join('&')
        const { status, body } = await call('GET', `${path}?${query}`)
        const answer = status === 200 ? 'a page' : `${status} ${body.code}`
        expect(['a page', '400 BAD_REQUEST', '400 CURSOR_INVALID', '409 CURSOR_EPOCH']).toContain(answer)
      }),
      { numRuns: 40 * inject('propertyRuns') },
    )
  })

  it.each(lists)('that is not text at all is refused: $name', async ({ name, field }) => {
    const { call } = await startStudio(market.databaseUrl)
    const path = endpoints[name].replace('GET /api/studio', '').replace(':id', id)
    for (const query of [`${field}=%ff%fe`, `${field}=%`, `${field}[]=1`, `${field}[a]=1`, `${field}=%F0%9F%92`]) {
      expect((await call('GET', `${path}?${query}`)).status).toBeLessThan(500)
    }
  })
})
