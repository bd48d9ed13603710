import { describe, expect, it } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { changesPrice, draftListing, type PricedListing } from '../../src/listings/listing.ts'
import { lamports } from '@juicebar/contract/money'
import { isId } from '@juicebar/contract/ids'

const fields = { tokenType: 'APPLE_JUICE', price: 0.5, amount: 3 }

describe('a listing draft', () => {
  it.each([
    [{ tokenType: 'APPLE_JUICE' }],
    [{ tokenType: 'Apple Juice' }],
    [{ tokenName: 'APPLE_JUICE' }],
    [{ tokenName: 'Apple Juice' }],
    [{ tokenType: 'APPLE_JUICE', tokenName: 'Apple Juice' }],
  ])('reads %o as apple juice', (token) => {
    expect(draftListing({ ...token, price: 0.5, amount: 3 }, defaultCatalogue)).toEqual({
      tokenType: 'APPLE_JUICE',
      amount: 3,
      priceLamports: 500_000_000n,
      divisible: false,
    })
  })

  it.each([
    [{ price: 0.5, amount: 3 }, 'FIELDS_MISSING'],
    [{ ...fields, tokenType: 'LEMONADE' }, 'TOKEN_TYPE_UNKNOWN'],
    [{ ...fields, tokenName: 'Grape Soda' }, 'TOKEN_TYPE_UNKNOWN'],
    [{ ...fields, price: 0 }, 'PRICE_INVALID'],
    [{ ...fields, price: 0.0005 }, 'PRICE_INVALID'],
    [{ ...fields, price: 0.0010000000001 }, 'PRICE_INVALID'],
    [{ ...fields, price: 1e308 }, 'PRICE_INVALID'],
    [{ ...fields, amount: 0 }, 'AMOUNT_INVALID'],
    [{ ...fields, amount: 1.5 }, 'AMOUNT_INVALID'],
    [{ ...fields, amount: 1_000_000_001 }, 'AMOUNT_INVALID'],
    [{ ...fields, amount: Number.NaN }, 'AMOUNT_INVALID'],
    [{ ...fields, price: 0.001, amount: 1_000_001, divisible: true }, 'TOO_CHEAP_TO_DIVIDE'],
  ])('refuses %o with %s', (draft, code) => {
    expect(() => draftListing(draft, defaultCatalogue)).toThrow(expect.objectContaining({ code }))
  })

  it.each([
    { price: 0.001, amount: 1_000_001, divisible: false },
    { price: 0.001, amount: 1_000_000, divisible: true },
  ])('takes less than a lamport a drink only for listings that are sold whole: %o', (offer) => {
    expect(draftListing({ ...fields, ...offer }, defaultCatalogue)).toMatchObject({ divisible: offer.divisible })
  })
})

describe('a new price', () => {
  const listing: PricedListing = {
    tokenType: 'APPLE_JUICE',
    amount: 6,
    priceLamports: lamports(600_000_000n),
    divisible: true,
    status: 'active',
    held: false,
    partsAmount: 4,
    frozen: false,
    secondsToWait: 0,
  }
  const most = 1_000_000_000_000_000n
  const change = (price: bigint, changes: Partial<PricedListing> = {}) => changesPrice({ ...listing, ...changes }, lamports(price))

  it.each([1_000_000n, 599_000_000n, 601_000_000n, (most * 6n) / 10n])('of %s lamports is a change', (price) => {
    expect(change(price)).toBe(true)
  })

  it.each<Partial<PricedListing>>([{}, { held: true }, { frozen: true }, { secondsToWait: 3 }])(
    'that is the old one changes nothing: %o',
    (changes) => {
      expect(change(600_000_000n, changes)).toBe(false)
    },
  )

  it.each<[string, bigint, Partial<PricedListing>]>([
    ['LISTING_NOT_ACTIVE', 1_000_000n, { status: 'sold' }],
    ['LISTING_NOT_ACTIVE', 600_000_000n, { status: 'removed' }],
    ['LISTING_NOT_ACTIVE', 1_000_000n, { status: 'merged' }],
    ['LISTING_HELD_BY_BUYER', 1_000_000n, { held: true }],
    ['LISTING_HELD_BY_BUYER', 1_000_000n, { status: 'reserved', held: true }],
    ['LISTING_FROZEN', 1_000_000n, { frozen: true }],
    ['TOO_CHEAP_TO_DIVIDE', 1_000_000n, { amount: 1_000_001 }],
    // Ten for ten sixths of it.
    ['PRICE_INVALID', (most * 6n) / 10n + 1_000_000n, {}],
    ['PRICE_JUST_CHANGED', 1_000_000n, { secondsToWait: 1 }],
  ])('is refused with %s: %s lamports, %o', (code, price, changes) => {
    expect(() => change(price, changes)).toThrow(expect.objectContaining({ code }))
  })

  it('may be less than a lamport a drink if only the whole is for sale', () => {
    expect(change(1_000_000n, { amount: 1_000_001, divisible: false })).toBe(true)
  })
})

describe('an identifier', () => {
  it('is a UUID and nothing else', () => {
    expect(isId('01a1f7d2-f049-703c-aa02-0770f4434472')).toBe(true)
    for (const text of ['', 'x', '01a1f7d2f049703caa020770f4434472', "1' or '1'='1", '01a1f7d2-f049-703c-aa02-0770f443447g']) {
      expect(isId(text)).toBe(false)
    }
  })
})
