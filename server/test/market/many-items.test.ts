import { listingSorts } from '@juicebar/contract/schemas/market'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { catalogueNamed } from '../support/catalogue.ts'
import { compareBy, type ListingToAdd, type MarketWorld, openMarketWorld, sampleWallets } from './market-world.ts'

const ITEMS = 200
const kinds = ['Tea', 'Ale', 'Map', 'Sword', 'Lamp']
const codes = Array.from({ length: ITEMS }, (_, index) => `ITEM_${index}`)
const nameOf = (code: string) => `${kinds[codes.indexOf(code) % kinds.length]} ${code.slice('ITEM_'.length)}`

let world: MarketWorld
const sellers = sampleWallets(60)
/** Most sellers have a few items, and the first has one of each. */
const added: ListingToAdd[] = [
  ...codes.map((tokenType, index) => ({ seller: sellers[0]!, tokenType, amount: 1 + (index % 9), steps: 1 + ((index * 7) % 13) })),
  ...sellers.flatMap((seller, index) =>
    Array.from({ length: index % 8 }, (_, n) => ({
      seller,
      tokenType: codes[(index * 37 + n * 11) % ITEMS]!,
      amount: 1 + n,
      steps: 2 + ((index + n) % 5),
    })),
  ),
]

beforeAll(async () => {
  world = await openMarketWorld({ catalogue: catalogueNamed(Object.fromEntries(codes.map((code) => [code, nameOf(code)]))) })
  await world.add(added)
})
afterAll(() => world.stop())

const named = ({ seller, tokenType, amount }: Pick<ListingToAdd, 'seller' | 'tokenType' | 'amount'>) => `${seller} ${tokenType} ${amount}`

/** A kind is a fifth of all names, a number is one or several; a part of an address may be many sellers or one. */
const term = fc.oneof(
  fc.constantFrom(...kinds, 'tea 1', 'e', '1', '19', '199', ' ', 'z'),
  fc
    .tuple(fc.constantFrom(...sellers), fc.nat(40), fc.integer({ min: 1, max: 6 }))
    .map(([seller, from, length]) => seller.slice(from, from + length)),
)

describe('a market of 200 items', () => {
  it('finds exactly the listings whose item or seller contains the term, in every order and page size', async () => {
    const property = fc.asyncProperty(
      term,
      fc.constantFrom(...listingSorts),
      fc.option(fc.constantFrom(...codes), { nil: undefined, freq: 3 }),
      fc.option(fc.constantFrom(...sellers.slice(0, 4)), { nil: undefined, freq: 3 }),
      fc.constantFrom('7', '50'),
      async (search, sort, tokenType, seller, limit) => {
        const found = await world.everything({ search, sort, limit, ...(tokenType && { tokenType }), ...(seller && { seller }) })
        const wanted = search.trim().toLowerCase()
        const expected = added.filter(
          (listing) =>
            (nameOf(listing.tokenType).toLowerCase().includes(wanted) || listing.seller.toLowerCase().includes(wanted)) &&
            (!tokenType || listing.tokenType === tokenType) &&
            (!seller || listing.seller === seller),
        )
        expect(found.map(named).sort()).toEqual(expected.map(named).sort())
        expect(found).toEqual(found.toSorted(compareBy(sort)))
        for (const { tokenType, tokenName } of found) expect(tokenName).toBe(nameOf(tokenType))
      },
    )
    await fc.assert(property, { numRuns: 120 })
  })

  it('has figures for each', async () => {
    const reply = await world.fastify.inject('/api/marketplace/summary')
    const { items } = reply.json<{ items: { tokenType: string; amount: number }[] }>()
    expect(items.map(({ tokenType }) => tokenType)).toEqual(codes.toSorted())
    for (const { tokenType, amount } of items) {
      const offered = added.filter((listing) => listing.tokenType === tokenType).reduce((sum, listing) => sum + listing.amount, 0)
      expect([tokenType, amount]).toEqual([tokenType, offered])
    }
  })
})
