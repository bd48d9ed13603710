import { beforeEach, describe, expect, test } from 'vitest'

import { basketOrder, gatherListing, readBasket, refusalToGather, writeBasket } from '../../src/features/purchase/order/basket.ts'
import { useBasket } from '../../src/features/purchase/order/basket-store.ts'
import { markGone, takeOut } from '../../src/features/purchase/order/change-basket.ts'
import { orderItemOf } from '../../src/features/purchase/order/order.ts'
import { listing } from '../support/listing.ts'

const offer = (id: string, seller = 'S') => listing({ _id: id, seller, divisible: true })
const listings = () => useBasket.getState().listings

beforeEach(() => useBasket.setState({ listings: [] }))

describe('the basket', () => {
  test('takes a listing once, changes its amount, and gives it back', () => {
    expect(gatherListing(offer('a'))).toBeUndefined()
    expect(gatherListing(offer('b'), 4)).toBeUndefined()
    expect(gatherListing(offer('b'), 6)).toBeUndefined()
    expect(listings().map(({ listingId, amount, lamports }) => [listingId, amount, lamports])).toEqual([
      ['a', 10, 500_000_000n],
      ['b', 6, 300_000_000n],
    ])
    gatherListing(offer('a'))
    expect(listings().map(({ listingId }) => listingId)).toEqual(['b'])
  })

  test('has room for twenty listings of ten sellers', () => {
    for (let index = 0; index < 10; index++) expect(gatherListing(offer(`listing-${index}`, `seller-${index}`))).toBeUndefined()
    expect(gatherListing(offer('eleventh', 'another'))).toMatch(/10 sellers at most/)
    for (let index = 10; index < 20; index++) expect(gatherListing(offer(`listing-${index}`, 'seller-1'))).toBeUndefined()
    expect(gatherListing(offer('last', 'seller-1'))).toMatch(/room for 20 listings/)
    expect(refusalToGather(listings().slice(1), orderItemOf(offer('x', 'seller-1'), 1))).toBeUndefined()
    expect(listings()).toHaveLength(20)
  })

  test('is one order, without the listings that are gone', () => {
    gatherListing(offer('a'))
    gatherListing(offer('b'))
    markGone('a', 'It is sold.')
    expect(basketOrder(listings(), 100)).toMatchObject({ items: [{ listingId: 'b' }], fee: 5_000_000n, origin: 'chosen' })
    takeOut([{ listingId: 'b' }])
    expect(basketOrder(listings(), 0)).toBeUndefined()
  })

  test('survives a reload, but not another wallet nor anything else that is kept there', () => {
    gatherListing(offer('a'), 3)
    const kept = writeBasket('me', listings())
    expect(readBasket(kept, 'me')).toEqual(listings())
    expect(readBasket(kept, 'you')).toEqual([])
    for (const text of [null, '', '{', '[]', '{"walletAddress":"me"}', '{"walletAddress":"me","listings":[1,{"listingId":"a"}]}'])
      expect(readBasket(text, 'me')).toEqual([])
  })
})
