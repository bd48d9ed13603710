import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { feeAt } from '@juicebar/contract/money'
import { type Order, orderItemOf, partLamports } from '../../src/features/purchase/order/order.ts'
import { boughtText, isAsConfirmed, orderOf, orderText, totalOf } from '../../src/features/purchase/order/order-terms.ts'
import { refusalToBuy } from '../../src/features/purchase/flow/refusal-to-buy.ts'
import { listing } from '../support/listing.ts'

const offer = listing({ seller: 'S', price: 0.1 })
const order: Order = { items: [orderItemOf(offer, 10)], fee: 0n, origin: 'chosen' }

/** What the server answers to an order. */
function held({ items, fee }: Order) {
  return {
    items: items.map((item) => ({ ...item, partOf: null, price: 0, lamports: String(item.lamports) })),
    fee: { lamports: String(fee), basisPoints: 0 },
    transfers: [
      ...items.map(({ seller, lamports }) => ({ to: seller, lamports: String(lamports), kind: 'seller' as const })),
      ...(fee > 0n ? [{ to: 'studio', lamports: String(fee), kind: 'fee' as const }] : []),
    ],
  }
}

describe('buying', () => {
  test('is refused for own listings and for those that cost more than the wallet holds', () => {
    const dear: Order = { items: [orderItemOf(listing({ seller: 'me', price: 1 }), 10)], fee: 5n, origin: 'chosen' }
    expect(refusalToBuy(dear, 'me', 10n ** 10n)).toBe('You cannot buy your own listing!')
    expect(refusalToBuy(dear, 'you', 1_000_000_004n)).toBe('Insufficient SOL to purchase!')
    expect(refusalToBuy(dear, 'you', 1_000_000_005n)).toBeUndefined()
  })

  test('is left to the server if the balance is not known', () => {
    expect(refusalToBuy(order, 'you', undefined)).toBeUndefined()
  })
})

describe('what the wallet is asked for', () => {
  const withFee: Order = { ...order, fee: 7n }

  test('is what the buyer confirmed, or less', () => {
    expect(isAsConfirmed(order, held(order))).toBe(true)
    expect(isAsConfirmed(withFee, held(withFee))).toBe(true)
    expect(isAsConfirmed(order, held({ ...order, items: [{ ...orderItemOf(offer, 10), lamports: 99_999_999n }] }))).toBe(true)
  })

  test.each([
    ['another seller', { ...order, items: [{ ...orderItemOf(offer, 10), seller: 'T' }] }],
    ['a lamport more', { ...order, items: [{ ...orderItemOf(offer, 10), lamports: 100_000_001n }] }],
    ['fewer drinks', { ...order, items: [{ ...orderItemOf(offer, 9), lamports: 100_000_000n }] }],
    ['another listing', { ...order, items: [{ ...orderItemOf(offer, 10), listingId: 'other' }] }],
    ['one more listing', { ...order, items: [...order.items, { ...orderItemOf(offer, 1), listingId: 'other', lamports: 0n }] }],
    ['a fee', withFee],
  ])('is never %s', (_, asked) => {
    expect(isAsConfirmed(order, held(asked))).toBe(false)
  })

  test('is never a higher fee, however little the sellers get', () => {
    const cheaper = { ...order, items: [{ ...orderItemOf(offer, 10), lamports: 99_999_999n }], fee: 8n }
    expect(isAsConfirmed(withFee, held(cheaper))).toBe(false)
  })

  test('pays nobody but the sellers', () => {
    const { transfers, ...rest } = held(order)
    expect(isAsConfirmed(order, { ...rest, transfers: transfers.map((transfer) => ({ ...transfer, to: 'T' })) })).toBe(false)
  })

  test('is the same after a reload, a part included', () => {
    const part = { ...held(order).items[0]!, listingId: 'split', partOf: offer._id }
    const again = orderOf({ items: [part], fee: { lamports: '7', basisPoints: 100 } })
    expect(again.items[0]).toMatchObject({ listingId: offer._id, amount: 10 })
    expect(totalOf(again)).toBe(100_000_007n)
    expect(isAsConfirmed(again, { ...held(withFee), items: [part] })).toBe(true)
  })
})

describe('a part of a listing', () => {
  test('costs its share, rounded up, and both parts together at most a lamport more than the whole', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 15n),
        fc.integer({ min: 2, max: 1_000_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (lamports, amount, share) => {
          const listing = { lamports: String(lamports), amount }
          const part = 1 + Math.floor(share * (amount - 2))
          expect(partLamports(listing, amount)).toBe(lamports)
          const both = partLamports(listing, part) + partLamports(listing, amount - part)
          expect(both - lamports === 0n || both - lamports === 1n).toBe(true)
        },
      ),
    )
  })
})

test('the fee is rounded down', () => {
  expect(feeAt(9_999n, 1)).toBe(0n)
  expect(feeAt(1_000_000_001n, 250)).toBe(25_000_000n)
})

describe('a purchase in words', () => {
  const bought = (seller: string, tokenName: 'Apple Juice' | 'Grape Soda' | 'Orange Juice', amount: number) => ({
    seller,
    tokenName,
    amount,
  })

  test('names each drink once, and its sellers if there are several', () => {
    expect(boughtText([bought('A', 'Grape Soda', 4)])).toBe('4 Grape Soda')
    expect(boughtText([bought('A', 'Apple Juice', 20), bought('B', 'Apple Juice', 99), bought('C', 'Apple Juice', 1)])).toBe(
      '120 Apple Juice from 3 sellers',
    )
    expect(boughtText([bought('A', 'Apple Juice', 1), bought('A', 'Grape Soda', 2_000), bought('B', 'Orange Juice', 3)])).toBe(
      '1 Apple Juice, 2,000 Grape Soda and 3 Orange Juice from 2 sellers',
    )
  })

  test('has no word of a fee of nothing', () => {
    expect(orderText(order)).toBe('10 Apple Juice for 0.1 SOL')
    expect(orderText({ ...order, fee: 1_000_000n })).toBe('10 Apple Juice for 0.1 SOL and a fee of 0.001 SOL')
  })
})
