import { listingSorts } from '@juicebar/contract/schemas/market'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { compareBy, drinks, type MarketWorld, openMarketWorld, sampleWallets } from './market-world.ts'

let world: MarketWorld
const sellers = sampleWallets(3)

beforeAll(async () => {
  world = await openMarketWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.empty()
  world.pageCache.clear()
})

const nobody = '00000000-0000-7000-8000-000000000000'

/** Few different values, so that many listings are equal and only their ids tell them apart. */
const listing = fc.record({
  seller: fc.constantFrom(...sellers),
  tokenType: fc.constantFrom(...drinks),
  amount: fc.constantFrom(1, 3, 7, 1_000_000_000),
  steps: fc.constantFrom(1, 2, 10, 1_000_000_000),
})
const filter = fc.constantFrom<Record<string, string>>(
  {},
  { tokenType: 'GRAPE_SODA' },
  { seller: sellers[0]! },
  { seller: sellers[1]!, tokenType: 'APPLE_JUICE' },
  { search: 'juice' },
  { search: sellers[2]!.slice(3, 8) },
  { search: sellers[0]!.slice(5, 7) },
  { search: sellers[0]!.slice(5, 6), tokenType: 'ORANGE_JUICE' },
  { search: 'A' },
)

describe('paging', () => {
  it.each(listingSorts)('by %s returns every listing that stays exactly once, in order, while others come and go', async (sort) => {
    const property = fc.asyncProperty(
      fc.array(listing, { minLength: 1, maxLength: 25 }),
      fc.array(listing, { maxLength: 8 }),
      filter,
      fc.integer({ min: 1, max: 6 }),
      fc.infiniteStream(fc.nat()),
      async (before, arriving, where, limit, choices) => {
        await world.empty()
        world.pageCache.clear()
        const ids = await world.add(before)
        const gone = new Set<string>()
        const expected = (await world.everything({ ...where, sort, limit: '200' })).map((found) => found._id)

        const found = await world.everything({ ...where, sort, limit: String(limit) }, async () => {
          const leaving = ids[choices.next().value! % ids.length]!
          const comes = arriving.pop()
          await Promise.all([
            comes && world.add([comes]),
            gone.has(leaving) ? world.hold(ids.find((id) => !gone.has(id)) ?? nobody) : world.close(leaving, 'sold'),
          ])
          gone.add(leaving)
        })

        const foundIds = found.map((listing) => listing._id)
        expect(new Set(foundIds).size).toBe(foundIds.length)
        expect(foundIds).toEqual(expect.arrayContaining(expected.filter((id) => !gone.has(id))))
        expect(found).toEqual(found.toSorted(compareBy(sort)))
      },
    )
    await fc.assert(property, { numRuns: 25 })
  })

  it('ends with the last full page', async () => {
    await world.add(Array.from({ length: 4 }, () => ({ seller: sellers[0]!, tokenType: 'APPLE_JUICE' as const, amount: 1, steps: 1 })))
    const first = await world.page({ limit: '2' })
    const second = await world.page({ limit: '2', cursor: first.nextCursor! })
    expect([first.listings.length, second.listings.length, second.nextCursor]).toEqual([2, 2, null])
  })

  it('keeps a held listing in the market and says until when it is held', async () => {
    const [id] = await world.add([{ seller: sellers[0]!, tokenType: 'APPLE_JUICE', amount: 2, steps: 5 }])
    await world.hold(id!)
    const { listings } = await world.page()
    expect(listings).toMatchObject([{ _id: id, seller: sellers[0], tokenName: 'Apple Juice', amount: 2, price: 0.005, unitPrice: 0.0025 }])
    expect(Date.parse(listings[0]!.heldUntil!)).toBeGreaterThan(Date.now())
  })
})

describe('a cursor', () => {
  const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  const id = '01890000-0000-7000-8000-000000000000'

  it.each([
    ['noise', 'abc'],
    ['no list', forged({})],
    ['too short a list', forged(['newest'])],
    ['another sort', forged(['price', '5', id])],
    ['SQL in the key', forged(['newest', "'; drop table listings --", id])],
    ['no identifier', forged(['newest', id, 'x'])],
    ['a list for a text', forged(['newest', [id], id])],
  ])('that is %s is refused', async (_what, cursor) => {
    const reply = await world.get({ cursor })
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ code: 'CURSOR_INVALID' })
  })

  it('of any content returns a page or CURSOR_INVALID, never a server error', async () => {
    const part = fc.oneof(
      fc.constantFrom(...listingSorts),
      fc.constant(id),
      fc.string(),
      fc.bigInt().map(String),
      fc.double().map(String),
      fc.jsonValue(),
    )
    const cursor = fc.oneof(
      fc.string({ maxLength: 100 }),
      fc.array(part, { maxLength: 4 }).map((parts) => forged(parts).slice(0, 256)),
    )
    const property = fc.asyncProperty(cursor, fc.constantFrom(...listingSorts), async (text, sort) => {
      const reply = await world.get({ sort, cursor: text })
      if (reply.statusCode !== 200) expect(reply.json()).toMatchObject({ code: expect.stringMatching(/^(CURSOR_INVALID|BAD_REQUEST)$/) })
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it('may hold the largest numbers', async () => {
    for (const [sort, key] of [
      ['price', '9'.repeat(18)],
      ['unitPrice', `${'9'.repeat(18)}.${'9'.repeat(9)}`],
    ] as const) {
      expect((await world.page({ sort, cursor: forged([sort, key, id]) })).listings).toEqual([])
    }
  })
})
