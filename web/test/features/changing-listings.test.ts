import { lamportsToSol, parsePrice } from '@juicebar/contract/money'
import { type OwnListing } from '@juicebar/contract/schemas'
import { describe, expect, test } from 'vitest'

import { changedPrice, newPriceProblem, pricedRest } from '../../src/features/my-listings/change-price.tsx'
import { keptSentence, removable, removalQuestion, removedSentence } from '../../src/features/my-listings/remove-all.tsx'
import { listing } from '../support/listing.ts'

function own(change: Partial<OwnListing> = {}): OwnListing {
  return { ...listing(change), beingBought: 0, sold: 0, ...change }
}

describe('a new price', () => {
  test('is for what is left, without what is being bought', () => {
    expect(pricedRest(own({ amount: 10, price: 0.5, unitPrice: 0.05 }))).toEqual({ amount: 10, price: '0.5' })
    expect(pricedRest(own({ amount: 10, beingBought: 4, price: 0.9, unitPrice: 0.1 }))).toEqual({ amount: 6, price: '0.6' })
    // Seven for 0.01, of which three are left.
    expect(pricedRest(own({ amount: 3, unitPrice: lamportsToSol(4_285_715n) / 3 })).price).toBe('0.004285715')
    expect(pricedRest(own({ amount: 1_000_000_000, unitPrice: 1e-12 })).price).toBe('0.001')
    expect(pricedRest(own({ amount: 1, unitPrice: 1e-9 })).price).toBe('0.000000001')
  })

  test('names its problem, but not that of the price that the listing has', () => {
    const rest = own({ amount: 3, divisible: true, unitPrice: lamportsToSol(4_285_715n) / 3 })
    expect(newPriceProblem(rest, '0.004285715')).toBeUndefined()
    expect(newPriceProblem(rest, '')).toBeUndefined()
    expect(newPriceProblem(rest, '0.0005')).toBe('The lowest price is 0.001 SOL.')
    expect(newPriceProblem(rest, '0.0045')).toContain('steps of 0.001 SOL')
    expect(newPriceProblem(own({ amount: 1_000_001, divisible: true, unitPrice: 1 }), '0.001')).toContain('at least 0.002 SOL')
  })

  test('is saved only if it is another one, and possible', () => {
    const whole = own({ amount: 10, unitPrice: 0.05 })
    expect(['0.5', '0.50', '', '0', '0.0005', 'x'].map((text) => changedPrice(whole, text))).toEqual(Array.from({ length: 6 }))
    expect(changedPrice(whole, '0.6')).toBe(0.6)
    expect(parsePrice(changedPrice(whole, '0.499') ?? 0)).toBe(499_000_000n)
    const rest = own({ amount: 3, unitPrice: lamportsToSol(4_285_715n) / 3 })
    expect(changedPrice(rest, '0.004285715')).toBeUndefined()
  })
})

describe('removing all', () => {
  const rows = [own({ _id: 'a', amount: 40 }), own({ _id: 'b' }), own({ _id: 'c', heldUntil: '2026-01-01T00:01:00.000Z' })]

  test('asks with how many leave, and how many stay', () => {
    const question = (free: number, held: number, more = false) => removalQuestion({ free, held }, { more })
    expect(removable(rows)).toEqual({ free: 2, held: 1 })
    expect(question(2, 1)).toBe(
      '2 listings leave the market, and what they hold comes back to your inventory. 1 listing stays, because a buyer is paying for it.',
    )
    expect(question(1, 0)).toBe('1 listing leaves the market, and what it holds comes back to your inventory.')
    expect(question(1_200, 2)).toContain('1,200 listings leave')
    expect(question(1_200, 2)).toContain('2 listings stay, because buyers are paying for them.')
    expect(question(500, 0, true)).toMatch(/^At least 500 listings leave/)
  })

  test('says how many were removed, and which stayed and why', () => {
    expect([0, 1, 5_000].map(removedSentence)).toEqual(['No listing was removed.', '1 listing removed.', '5,000 listings removed.'])
    expect(keptSentence({ listingId: 'a', code: 'LISTING_HELD_BY_BUYER' }, rows)).toBe('40 Apple Juice: a buyer is paying for it.')
    expect(keptSentence({ listingId: 'new', code: 'LISTING_FROZEN' }, rows)).toMatch(/^Another listing: the studio/)
  })
})
