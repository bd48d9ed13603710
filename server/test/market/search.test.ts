import { listingSorts } from '@juicebar/contract/schemas/market'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { readMarketQuery } from '../../src/market/market-query.ts'
import { compareBy, drinks, type ListingToAdd, type MarketWorld, openMarketWorld, randomWallet, sampleWallets } from './market-world.ts'

let world: MarketWorld
const sellers = sampleWallets(40)
const added: ListingToAdd[] = sellers.flatMap((seller, index) =>
  drinks.slice(0, 1 + (index % 3)).map((tokenType) => ({ seller, tokenType, amount: 1 + index, steps: 1 + ((index * 7) % 5) })),
)

beforeAll(async () => {
  world = await openMarketWorld()
  await world.add(added)
})
afterAll(() => world.stop())

const swapCase = (text: string) =>
  text.replaceAll(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
const matches = (listing: ListingToAdd, term: string) =>
  defaultCatalogue.nameOf(listing.tokenType).toLowerCase().includes(term.toLowerCase()) ||
  listing.seller.toLowerCase().includes(term.toLowerCase())

/** Parts of what exists, in any case, and of what does not. */
const term = fc.oneof(
  fc
    .tuple(fc.constantFrom(...sellers, 'Apple Juice', 'Orange Juice', 'Grape Soda'), fc.nat(43), fc.integer({ min: 1, max: 44 }))
    .map(([text, from, length]) => {
      const part = text.slice(from % text.length, (from % text.length) + length)
      return length % 2 ? part : swapCase(part)
    }),
  fc.string({ minLength: 1, maxLength: 6 }),
)

describe('search', () => {
  it('finds exactly the listings whose drink or seller contains the term, in every order and page size', async () => {
    const property = fc.asyncProperty(
      term.filter((text) => text.trim() !== '' && !text.includes('\0')),
      fc.constantFrom(...listingSorts),
      fc.option(fc.constantFrom(...drinks), { nil: undefined }),
      fc.option(fc.constantFrom(...sellers), { nil: undefined }),
      fc.constantFrom('3', '50'),
      async (search, sort, tokenType, seller, limit) => {
        const found = await world.everything({ search, sort, limit, ...(tokenType && { tokenType }), ...(seller && { seller }) })
        const expected = added.filter(
          (listing) =>
            matches(listing, search.trim()) && (!tokenType || listing.tokenType === tokenType) && (!seller || listing.seller === seller),
        )
        const named = (listing: Pick<ListingToAdd, 'seller' | 'tokenType'>) => `${listing.seller} ${listing.tokenType}`
        expect(found.map(named).sort()).toEqual(expected.map(named).sort())
        expect(found).toEqual(found.toSorted(compareBy(sort)))
      },
    )
    await fc.assert(property, { numRuns: 150 })
  })

  it('of nothing but blanks filters nothing', async () => {
    expect(await world.everything({ search: '   ' })).toHaveLength(added.length)
  })

  it.each(['0', 'x'.repeat(45), '100%', '_', 'apple_juice', "' or true --"])(
    'for %j, which nothing can contain, asks no table',
    async (search) => {
      expect(readMarketQuery({ search }, defaultCatalogue).scope).toEqual({ kind: 'none' })
      expect(await world.page({ search })).toEqual({ listings: [], nextCursor: null })
    },
  )
})

describe('a walking search', () => {
  it('returns short pages that lead to the only match, however far away it is', async () => {
    const wide = await openMarketWorld()
    // Ten letters of base58 and no z: a search for z walks past all of these.
    await wide.pool.query(
      `insert into listings (seller, token_type, amount, price_lamports)
       select repeat(substr('ABCDEFGHJK', 1 + n % 10, 1), 44), 'GRAPE_SODA', 1, (1 + n % 90) * 1000000 from generate_series(1, 9000) n`,
    )
    await wide.add([{ seller: `z${'A'.repeat(43)}`, tokenType: 'ORANGE_JUICE', amount: 1, steps: 91 }])
    for (const sort of ['oldest', 'price'] as const) {
      const first = await wide.page({ search: 'Z', sort })
      expect([first.listings.length, typeof first.nextCursor]).toEqual([0, 'string'])
      const found = await wide.everything({ search: 'Z', sort })
      expect(found.map((listing) => listing.tokenType)).toEqual(['ORANGE_JUICE'])
    }
    expect((await wide.page({ search: 'Z', sort: 'newest' })).listings).toHaveLength(1)
    await wide.stop()
  })

  it('takes over if a longer term matches more sellers than can be looked up one by one', async () => {
    const crowded = await openMarketWorld()
    const many = Array.from({ length: 250 }, () => `pump${randomWallet().slice(4)}`)
    await crowded.add(
      [...many, ...sellers].map((seller, index) => ({ seller, tokenType: 'GRAPE_SODA' as const, amount: 1, steps: 1 + (index % 9) })),
    )
    const found = await crowded.everything({ search: 'PUMP', sort: '-price', limit: '30' })
    expect(found.map((listing) => listing.seller).sort()).toEqual(many.toSorted())
    await crowded.stop()
  })
})
