import { listingSorts } from '@juicebar/contract/schemas/market'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { readMarketQuery } from '../../src/market/market-query.ts'
import { catalogueNamed, defaultCatalogue } from '../support/catalogue.ts'
import { compareBy, drinks, type ListingToAdd, randomWallet, sampleWallets, useMarket } from './market-world.ts'

const world = useMarket()
const sellers = sampleWallets(60)

describe('the market over HTTP', () => {
  beforeAll(() => void world.fastify.post('/api/marketplace/anything', async () => ({})))
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    await world.empty()
  })
  afterEach(() => void vi.useRealTimers())

  it('answers 304 to a client that has the page, until the page changes', async () => {
    await world.add([{}])
    const first = await world.get('listings')
    expect(first.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'application/json; charset=utf-8' })
    const seen = { 'if-none-match': String(first.headers['etag']) }
    const again = await world.get('listings', {}, seen)
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', first.headers['etag']])
    await world.add([{}])
    world.caches.clear()
    const changed = await world.get('listings', {}, seen)
    expect([changed.statusCode, changed.json().listings.length]).toEqual([200, 2])
  })

  it('shows a change in the next answer after the reply to the write', async () => {
    expect((await world.page()).listings).toHaveLength(0)
    await world.add([{}])
    await world.fastify.inject({ method: 'POST', url: '/api/marketplace/anything' })
    expect((await world.page()).listings).toHaveLength(1)
  })

  it('shows a change made elsewhere within a second, even if no event reports it', async () => {
    expect((await world.page()).listings).toHaveLength(0)
    await world.add([{}])
    expect((await world.page()).listings).toHaveLength(0)
    vi.advanceTimersByTime(1_001)
    expect((await world.page()).listings).toHaveLength(1)
  })
})

describe('paging', () => {
  beforeEach(() => world.empty())

  const nobody = '00000000-0000-7000-8000-000000000000'
  /** Few different values, so that many listings are equal and only their ids tell them apart. */
  const listing = fc.record({
    seller: fc.constantFrom(...sellers.slice(0, 3)),
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

  it.each(listingSorts)('by %s returns every listing that stays exactly once, in order, while others come and go', async (sort) => {
    const property = fc.asyncProperty(
      fc.array(listing, { minLength: 1, maxLength: 25 }),
      fc.array(listing, { maxLength: 8 }),
      filter,
      fc.integer({ min: 1, max: 6 }),
      fc.infiniteStream(fc.nat()),
      async (before, arriving, where, limit, choices) => {
        await world.empty()
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
    await world.add([{}, {}, {}, {}])
    const first = await world.page({ limit: '2' })
    const second = await world.page({ limit: '2', cursor: first.nextCursor! })
    expect([first.listings.length, second.listings.length, second.nextCursor]).toEqual([2, 2, null])
  })

  it('keeps a held listing in the market and says until when it is held', async () => {
    const [id] = await world.add([{ seller: sellers[0]!, amount: 2, steps: 5 }])
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
    const reply = await world.get('listings', { cursor })
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ code: 'CURSOR_INVALID' })
  })

  it('of any content returns a page or CURSOR_INVALID, never a server error', async () => {
    const content = [fc.constantFrom(...listingSorts), fc.constant(id), fc.string(), fc.bigInt().map(String), fc.double().map(String)]
    const cursor = fc.oneof(
      fc.string({ maxLength: 100 }),
      fc.array(fc.oneof(...content, fc.jsonValue()), { maxLength: 4 }).map((parts) => forged(parts).slice(0, 256)),
    )
    const property = fc.asyncProperty(cursor, fc.constantFrom(...listingSorts), async (text, sort) => {
      const reply = await world.get('listings', { sort, cursor: text })
      if (reply.statusCode !== 200) expect(reply.json()).toMatchObject({ code: expect.stringMatching(/^(CURSOR_INVALID|BAD_REQUEST)$/) })
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it.each([
    ['price', '9'.repeat(18)],
    ['unitPrice', `${'9'.repeat(18)}.${'9'.repeat(9)}`],
  ])('may hold the largest numbers: %s', async (sort, key) => {
    expect((await world.page({ sort, cursor: forged([sort, key, id]) })).listings).toEqual([])
  })
})

const many = Array.from({ length: 200 }, (_, index) => `ITEM_${index}`)
const kinds = ['Tea', 'Ale', 'Map', 'Sword', 'Lamp']
const manyItems = catalogueNamed(
  Object.fromEntries(many.map((code, index) => [code, `${kinds[index % kinds.length]} ${code.slice('ITEM_'.length)}`])),
)
const swapCase = (text: string) =>
  text.replaceAll(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
/** Parts of what exists, in any case. */
const partOf = (texts: string[], maxLength: number) =>
  fc.tuple(fc.constantFrom(...texts), fc.nat(43), fc.integer({ min: 1, max: maxLength })).map(([text, from, length]) => {
    const part = text.slice(from % text.length, (from % text.length) + length)
    return length % 2 ? part : swapCase(part)
  })

describe.each([
  {
    market: 'three items',
    catalogue: defaultCatalogue,
    added: sellers
      .slice(0, 40)
      .flatMap((seller, index) =>
        drinks.slice(0, 1 + (index % 3)).map((tokenType) => ({ seller, tokenType, amount: 1 + index, steps: 1 + ((index * 7) % 5) })),
      ),
    term: fc.oneof(
      partOf([...sellers.slice(0, 40), 'Apple Juice', 'Orange Juice', 'Grape Soda'], 44),
      fc.string({ minLength: 1, maxLength: 6 }),
    ),
  },
  {
    market: '200 items',
    catalogue: manyItems,
    /** Most sellers have a few items, and the first has one of each. */
    added: [
      ...many.map((tokenType, index) => ({ seller: sellers[0]!, tokenType, amount: 1 + (index % 9), steps: 1 + ((index * 7) % 13) })),
      ...sellers.flatMap((seller, index) =>
        Array.from({ length: index % 8 }, (_, n) => ({
          seller,
          tokenType: many[(index * 37 + n * 11) % many.length]!,
          amount: 1 + n,
          steps: 2 + ((index + n) % 5),
        })),
      ),
    ],
    /** A kind is a fifth of all names, a number is one or several; a part of an address may be many sellers or one. */
    term: fc.oneof(fc.constantFrom(...kinds, 'tea 1', 'e', '1', '19', '199', ' ', 'z'), partOf(sellers, 6)),
  },
])('search in a market of $market', ({ catalogue, added, term }) => {
  const world = useMarket({ catalogue })
  beforeAll(async () => void (await world.add(added)))

  const named = ({ seller, tokenType, amount }: Pick<ListingToAdd, 'seller' | 'tokenType' | 'amount'>) => `${seller} ${tokenType} ${amount}`

  it('finds exactly the listings whose item or seller contains the term, in every order and page size', async () => {
    const property = fc.asyncProperty(
      term.filter((text) => !text.includes('\0')),
      fc.constantFrom(...listingSorts),
      fc.option(fc.constantFrom(...catalogue.items.map(({ code }) => code)), { nil: undefined, freq: 3 }),
      fc.option(fc.constantFrom(...sellers.slice(0, 40)), { nil: undefined, freq: 3 }),
      fc.constantFrom('3', '50'),
      async (search, sort, tokenType, seller, limit) => {
        const found = await world.everything({ search, sort, limit, ...(tokenType && { tokenType }), ...(seller && { seller }) })
        const contains = (text: string) => text.toLowerCase().includes(search.trim().toLowerCase())
        const expected = added.filter(
          (listing) =>
            (contains(catalogue.nameOf(listing.tokenType)) || contains(listing.seller)) &&
            (!tokenType || listing.tokenType === tokenType) &&
            (!seller || listing.seller === seller),
        )
        expect(found.map(named).sort()).toEqual(expected.map(named).sort())
        expect(found).toEqual(found.toSorted(compareBy(sort)))
        for (const { tokenType, tokenName } of found) expect(tokenName).toBe(catalogue.nameOf(tokenType))
      },
    )
    await fc.assert(property, { numRuns: 150 })
  })

  it('has figures for each', async () => {
    const { items } = (await world.get('summary')).json<{ items: { tokenType: string; amount: number }[] }>()
    const sum = (code: string) => added.filter(({ tokenType }) => tokenType === code).reduce((total, { amount }) => total + amount, 0)
    const codes = catalogue.items.map(({ code }) => code).toSorted()
    expect(items.map(({ tokenType, amount }) => [tokenType, amount])).toEqual(codes.map((code) => [code, sum(code)]))
  })

  it('of nothing but blanks filters nothing', async () => {
    expect(await world.everything({ search: '   ' })).toHaveLength(added.length)
  })

  const impossible = ['x'.repeat(45), '100%', '_', 'apple_juice', "' or true --"]
  it.each(catalogue === manyItems ? impossible : ['0', ...impossible])(
    'for %j, which nothing can contain, asks no table',
    async (search) => {
      expect(readMarketQuery({ search }, catalogue).scope).toEqual({ kind: 'none' })
      expect(await world.page({ search })).toEqual({ listings: [], nextCursor: null })
    },
  )
})

describe('a walking search', () => {
  beforeEach(() => world.empty())

  it('returns short pages that lead to the only match, however far away it is', async () => {
    // Ten letters of base58 and no z: a search for z walks past all of these.
    await world.pool.query(
      `insert into listings (seller, token_type, amount, price_lamports)
       select repeat(substr('ABCDEFGHJK', 1 + n % 10, 1), 44), 'GRAPE_SODA', 1, (1 + n % 90) * 1000000 from generate_series(1, 9000) n`,
    )
    await world.add([{ seller: `z${'A'.repeat(43)}`, tokenType: 'ORANGE_JUICE', steps: 91 }])
    for (const sort of ['oldest', 'price'] as const) {
      const first = await world.page({ search: 'Z', sort })
      expect([first.listings.length, typeof first.nextCursor]).toEqual([0, 'string'])
      const found = await world.everything({ search: 'Z', sort })
      expect(found.map((listing) => listing.tokenType)).toEqual(['ORANGE_JUICE'])
    }
    expect((await world.page({ search: 'Z', sort: 'newest' })).listings).toHaveLength(1)
  })

  it('takes over if a longer term matches more sellers than can be looked up one by one', async () => {
    const pumps = Array.from({ length: 250 }, () => `pump${randomWallet().slice(4)}`)
    await world.add([...pumps, ...sellers].map((seller, index) => ({ seller, tokenType: 'GRAPE_SODA', steps: 1 + (index % 9) })))
    const found = await world.everything({ search: 'PUMP', sort: '-price', limit: '30' })
    expect(found.map((listing) => listing.seller).sort()).toEqual(pumps.toSorted())
  })
})
