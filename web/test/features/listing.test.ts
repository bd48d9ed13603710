import { type Listing } from '@juicebar/contract/schemas'
import { encode } from 'uqr'
import { describe, expect, it } from 'vitest'

import { drawCode, payLinkText } from '../../src/features/listing/phone-codes.tsx'
import { phantomBrowseLink } from '../../src/wallet/phantom-link.ts'
import { whyNotForSale } from '../../src/features/listing/why-not-for-sale.ts'
import { listing } from '../support/listing.ts'

const visitor = { walletAddress: undefined, closed: false }

describe('a listing at its own address', () => {
  it.each<[Partial<Listing>, string | undefined]>([
    [{}, undefined],
    [{ status: 'sold' }, 'This listing has been sold.'],
    [{ status: 'removed' }, 'Its seller has taken this listing off the market.'],
    [{ heldUntil: '2026-01-01T00:00:00.000Z' }, 'Another buyer is paying for this listing right now.'],
    [{ heldUntil: '2026-01-01T00:00:00.000Z', waitsForStudio: true }, 'The studio has to decide about this listing.'],
  ])('says why it cannot be bought, %j', (changes, expected) => {
    expect(whyNotForSale(listing(changes), visitor)).toBe(expected)
  })

  it('is not sold to its seller, nor while nothing is', () => {
    const own = listing()
    expect(whyNotForSale(own, { ...visitor, walletAddress: own.seller })).toBe('This is your listing.')
    expect(whyNotForSale(own, { ...visitor, closed: true })).toBe('Nothing can be bought at the moment.')
  })
})

it('the link into Phantom names page and market, both encoded', () => {
  expect(phantomBrowseLink(new URL('https://market.example/listing/1'))).toBe(
    'https://phantom.app/ul/browse/https%3A%2F%2Fmarket.example%2Flisting%2F1?ref=https%3A%2F%2Fmarket.example',
  )
})

it('a hold whose time has run out is not said to wait for its payment', () => {
  const held = { state: 'held', millisLeft: 1, payMillisLeft: 0 } as const
  expect(payLinkText(held)).toContain('has run out')
  expect(payLinkText({ ...held, payMillisLeft: 1 })).toContain('asks you to pay')
})

it('a drawn code has all dark modules and no other, with four light ones around it', () => {
  const text = phantomBrowseLink(new URL('https://market.example/listing/01a1f7e3-0000-7000-8000-000000000000'))
  const { path, size } = drawCode(text)
  const dark = new Set<string>()
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)/g)) {
    for (let column = 0; column < Number(width); column++) dark.add(`${Number(x) + column} ${y}`)
  }
  const { data } = encode(text, { ecc: 'L', border: 4 })
  const expected = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : [])))
  expect([...dark].toSorted()).toEqual(expected.toSorted())
  const edges = [...dark].map((place) => place.split(' ').map(Number)).flat()
  expect([Math.min(...edges), Math.max(...edges)]).toEqual([4, size - 5])
})
