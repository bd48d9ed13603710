import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_ITEMS, MAX_SELLERS } from '@juicebar/contract/limits'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { defaultCatalogue } from '../support/catalogue.ts'
import { type Candidate, fillQuote, quoteReply, readQuoteOrder, smallPayees } from '../../src/market/quote.ts'

const anybody = () => true
const free = { basisPoints: 0, wallet: undefined }
const order = { tokenType: 'APPLE_JUICE', excludeSeller: undefined } as const

let listed = 0

function candidate(changes: Partial<Candidate> & { by?: string } = {}): Candidate {
  const { by = 'one', amount = 10, lamports = 10_000_000n, ...fields } = changes
  listed += 1
  const whole = { amount, lamports }
  return { listingId: `listing-${listed}`, seller: by as WalletAddress, amount, lamports, whole, divisible: true, ...fields }
}

/** What a quote takes: so many of the listing at this place. */
const takenOf = (candidates: Candidate[], amount: number, canReceive: Parameters<typeof fillQuote>[2] = anybody) =>
  fillQuote(candidates, amount, canReceive).map(
    ({ listingId, amount }) => `${amount} of ${candidates.findIndex((one) => one.listingId === listingId)}`,
  )

describe('a quote', () => {
  it('takes the cheapest first, and of the last one no more than is needed', () => {
    expect(takenOf([candidate(), candidate(), candidate()], 15)).toEqual(['10 of 0', '5 of 1'])
  })

  it('skips what is sold whole and too large, wherever it is', () => {
    const whole = (amount: number) => candidate({ amount, divisible: false })
    expect(takenOf([whole(20), whole(6), whole(5), whole(4), candidate()], 12)).toEqual(['6 of 1', '5 of 2', '1 of 4'])
    expect(takenOf([whole(10), whole(100)], 60)).toEqual(['10 of 0'])
    expect(takenOf([whole(3), whole(4)], 4)).toEqual(['3 of 0'])
  })

  it('rounds the price of a part up', () => {
    const [part] = fillQuote([candidate({ amount: 3, lamports: 1_000_000n })], 2, anybody)
    expect(part).toMatchObject({ amount: 2, lamports: 666_667n })
  })

  it('pays nobody what the chain would refuse', () => {
    const asked: [string, bigint][] = []
    const canReceive = (seller: WalletAddress, lamports: bigint) => {
      asked.push([seller, lamports])
      return seller !== 'poor' || lamports > 12_000_000n
    }
    expect(takenOf([candidate({ by: 'rich' }), candidate({ by: 'poor' }), candidate({ by: 'rich' })], 15, canReceive)).toEqual([
      '10 of 0',
      '5 of 2',
    ])
    expect(asked).toEqual([
      ['rich', 10_000_000n],
      ['poor', 5_000_000n],
      ['rich', 15_000_000n],
    ])
  })

  it('has as many items and sellers as a purchase, and says that more was asked for', () => {
    const ofOne = Array.from({ length: MAX_ITEMS + 1 }, () => candidate({ amount: 1 }))
    expect(takenOf(ofOne, MAX_ITEMS + 1)).toHaveLength(MAX_ITEMS)
    const ofMany = Array.from({ length: MAX_SELLERS + 1 }, (_, index) => candidate({ by: `seller ${index}` }))
    expect(takenOf([...ofMany, candidate({ by: 'seller 0' })], 130)).toHaveLength(MAX_SELLERS + 1)
    expect(takenOf(ofMany, 110)).toHaveLength(MAX_SELLERS)
    expect(quoteReply(fillQuote(ofMany, 110, anybody), { ...order, amount: 110 }, free)).toMatchObject({ amount: 100, complete: false })
  })

  it('passes over single drinks that would keep a buyer from getting many', () => {
    const crumbs = Array.from({ length: 30 }, (_, index) => candidate({ amount: 1, by: `crumb ${index}` }))
    expect(takenOf([...crumbs, candidate({ amount: 90 }), candidate({ amount: 90 })], 100)).toEqual(['90 of 30', '10 of 31'])
  })

  it('tells who would get very little', () => {
    const items = [candidate({ by: 'a', lamports: 6n }), candidate({ by: 'b', lamports: 9n }), candidate({ by: 'a', lamports: 6n })]
    expect(smallPayees(items, 10n)).toEqual(['b'])
  })

  it('adds up, is in order and within its limits, whatever is for sale', () => {
    const market = fc
      .array(
        fc.record({
          by: fc.constantFrom(...Array.from({ length: 14 }, (_, index) => `seller ${index}`)),
          amount: fc.oneof(
            { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
            { weight: 1, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
          ),
          lamports: fc.bigInt({ min: 1_000n, max: 10n ** 15n }),
          divisible: fc.boolean(),
        }),
        { maxLength: 60, size: 'max' },
      )
      .map((all) => all.map((fields) => candidate(fields)).sort((a, b) => Number(a.lamports) / a.amount - Number(b.lamports) / b.amount))
    const least = 1_000_000n
    const poor = new Set(['seller 1', 'seller 2', 'seller 3'])
    const canReceive = (seller: WalletAddress, lamports: bigint) => !poor.has(seller) || lamports >= least
    fc.assert(
      fc.property(market, fc.integer({ min: 1, max: 3_000 }), (candidates, amount) => {
        const items = fillQuote(candidates, amount, canReceive)
        const places = items.map(({ listingId }) => candidates.findIndex((one) => one.listingId === listingId))
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
        expect(items.length).toBeLessThanOrEqual(MAX_ITEMS)
        expect(new Set(items.map(({ seller }) => seller)).size).toBeLessThanOrEqual(MAX_SELLERS)
        items.forEach((item, index) => {
          const listing = candidates[places[index]!]!
          expect(item.amount === listing.amount || (listing.divisible && item.amount < listing.amount)).toBe(true)
          // Rounded up to the lamport, and the rest still costs at least what is left of the price.
          const short = item.lamports * BigInt(listing.amount) - listing.lamports * BigInt(item.amount)
          expect(short >= 0n && short < BigInt(listing.amount)).toBe(true)
        })
        for (const seller of smallPayees(items, least)) expect(poor.has(seller)).toBe(false)

        const reply = quoteReply(items, { ...order, amount }, { basisPoints: 250, wallet: 'seller 4' as WalletAddress })
        expect(reply.amount).toBe(items.reduce((sum, item) => sum + item.amount, 0))
        expect(reply.amount).toBeLessThanOrEqual(amount)
        expect(reply.complete).toBe(reply.amount === amount)
        expect(BigInt(reply.lamports)).toBe(items.reduce((sum, item) => sum + item.lamports, 0n))
        const charged = items.filter(({ seller }) => seller !== 'seller 4').reduce((sum, item) => sum + item.lamports, 0n)
        expect(BigInt(reply.fee.lamports)).toBe((charged * 250n) / 10_000n)
        if (reply.averageUnitPrice !== null) expect(reply.averageUnitPrice).toBeLessThanOrEqual(reply.highestUnitPrice ?? -1)
      }),
      { numRuns: 500 },
    )
  })

  it('of nothing has no unit prices', () => {
    expect(quoteReply([], { ...order, amount: 5 }, free)).toEqual({
      items: [],
      amount: 0,
      lamports: '0',
      price: 0,
      fee: { lamports: '0', basisPoints: 0 },
      averageUnitPrice: null,
      highestUnitPrice: null,
      complete: false,
    })
  })

  it('has unit prices like those of listings, to a billionth of a lamport', () => {
    const reply = quoteReply([candidate({ amount: 12, lamports: 250_000_000n })], { ...order, amount: 12 }, free)
    expect(reply).toMatchObject({ averageUnitPrice: 0.020833333333333332, price: 0.25 })
    const cheap = quoteReply([candidate({ amount: 1_000_000_000, lamports: 1_000_000n })], { ...order, amount: 1_000_000_000 }, free)
    expect(cheap.highestUnitPrice).toBe(1e-12)
  })

  it.each([
    [{ tokenType: 'LEMONADE', amount: 1 }, 'TOKEN_TYPE_UNKNOWN'],
    [{ tokenType: 'APPLE_JUICE', amount: 0 }, 'AMOUNT_INVALID'],
    [{ tokenType: 'APPLE_JUICE', amount: -1 }, 'AMOUNT_INVALID'],
    [{ tokenType: 'APPLE_JUICE', amount: 1_000_000_001 }, 'AMOUNT_INVALID'],
    [{ tokenType: 'APPLE_JUICE', amount: 1, excludeSeller: 'me' }, 'WALLET_ADDRESS_INVALID'],
  ])('for %o is refused with %s', (fields, code) => {
    expect(() => readQuoteOrder(fields, defaultCatalogue)).toThrow(expect.objectContaining({ code }))
  })
})
