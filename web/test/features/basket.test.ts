import { beforeEach, describe, expect, test } from 'vitest'

import { basketOrder, readBasket, refusalToGather, writeBasket } from '../../src/features/purchase/order/basket.ts'
import { markGone, takeOut, useBasket } from '../../src/features/purchase/order/basket-store.ts'
import { gatherLot } from '../../src/features/purchase/order/gather-lot.ts'
import { lotOf } from '../../src/features/purchase/order/lot.ts'
import { listing } from '../support/listing.ts'

const offer = (id: string, seller = 'S') => listing({ _id: id, seller, divisible: true })
const lots = () => useBasket.getState().lots

beforeEach(() => useBasket.setState({ lots: [] }))

describe('the basket', () => {
  test('takes a lot once, changes its amount, and gives it back', () => {
    expect(gatherLot(offer('a'))).toBeUndefined()
    expect(gatherLot(offer('b'), 4)).toBeUndefined()
    expect(gatherLot(offer('b'), 6)).toBeUndefined()
    expect(lots().map(({ listingId, amount, lamports }) => [listingId, amount, lamports])).toEqual([
      ['a', 10, 500_000_000n],
      ['b', 6, 300_000_000n],
    ])
    gatherLot(offer('a'))
    expect(lots().map(({ listingId }) => listingId)).toEqual(['b'])
  })

  test('has room for twenty lots of ten sellers', () => {
    for (let index = 0; index < 10; index++) expect(gatherLot(offer(`lot-${index}`, `seller-${index}`))).toBeUndefined()
    expect(gatherLot(offer('eleventh', 'another'))).toMatch(/10 sellers at most/)
    for (let index = 10; index < 20; index++) expect(gatherLot(offer(`lot-${index}`, 'seller-1'))).toBeUndefined()
    expect(gatherLot(offer('last', 'seller-1'))).toMatch(/room for 20 lots/)
    expect(refusalToGather(lots().slice(1), lotOf(offer('x', 'seller-1'), 1))).toBeUndefined()
    expect(lots()).toHaveLength(20)
  })

  test('is one order, without the lots that are gone', () => {
    gatherLot(offer('a'))
    gatherLot(offer('b'))
    markGone('a', 'It is sold.')
    expect(basketOrder(lots(), 100)).toMatchObject({ items: [{ listingId: 'b' }], fee: 5_000_000n, origin: 'chosen' })
    takeOut([{ listingId: 'b' }])
    expect(basketOrder(lots(), 0)).toBeUndefined()
  })

  test('survives a reload, but not another wallet nor anything else that is kept there', () => {
    gatherLot(offer('a'), 3)
    const kept = writeBasket('me', lots())
    expect(readBasket(kept, 'me')).toEqual(lots())
    expect(readBasket(kept, 'you')).toEqual([])
    for (const text of [null, '', '{', '[]', '{"walletAddress":"me"}', '{"walletAddress":"me","lots":[1,{"listingId":"a"}]}'])
      expect(readBasket(text, 'me')).toEqual([])
  })
})
