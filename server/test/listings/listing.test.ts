import { describe, expect, it } from 'vitest'
import { defaultCatalogue } from '../support/catalogue.ts'
import { draftListing } from '../../src/listings/listing.ts'
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

describe('an identifier', () => {
  it('is a UUID and nothing else', () => {
    expect(isId('01a1f7d2-f049-703c-aa02-0770f4434472')).toBe(true)
    for (const text of ['', 'x', '01a1f7d2f049703caa020770f4434472', "1' or '1'='1", '01a1f7d2-f049-703c-aa02-0770f443447g']) {
      expect(isId(text)).toBe(false)
    }
  })
})
