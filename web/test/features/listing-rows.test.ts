import { type OwnListing } from '@juicebar/contract/schemas'
import { describe, expect, test } from 'vitest'

import { listingRows, progressOf, removalNote } from '../../src/features/my-listings/my-listings.tsx'
import { listing } from '../support/listing.ts'

function own(change: Partial<OwnListing> = {}): OwnListing {
  return { ...listing(change), beingBought: 0, sold: 0, ...change }
}

describe('my listings', () => {
  test('leave out the sold parts of a listing that says itself how many were sold', () => {
    const whole = own({ _id: 'whole', amount: 120, sold: 30 })
    const part = own({ _id: 'part', partOf: 'whole', status: 'sold', amount: 30 })
    expect(listingRows([part, whole])).toEqual([whole])
  })

  test('add up what was sold of one listing, to the lamport', () => {
    const part = (_id: string, price: number) => own({ _id, partOf: 'whole', status: 'sold', amount: 10, price, createdAt: _id })
    expect(listingRows([part('b', 0.2), part('a', 0.1)])).toEqual([own({ ...part('b', 0.3), amount: 20, unitPrice: 0.015 })])
    const rest = own({ _id: 'whole', status: 'sold', amount: 5, price: 0.7 })
    expect(listingRows([part('b', 0.2), part('a', 0.1), rest])).toMatchObject([{ _id: 'whole', amount: 25, price: 1 }])
  })

  test('keep apart what was sold and what was removed, and each part that is on the market', () => {
    const rows = [
      own({ _id: 'sold', partOf: 'whole', status: 'sold' }),
      own({ _id: 'one', partOf: 'whole' }),
      own({ _id: 'two', partOf: 'whole' }),
      own({ _id: 'whole', status: 'removed' }),
    ]
    expect(listingRows(rows)).toEqual(rows)
  })
})

describe('a listing', () => {
  test('tells how far it is sold once a part of it is', () => {
    expect(progressOf(own({ amount: 120 }))).toBeUndefined()
    expect(progressOf(own({ amount: 120, beingBought: 120 }))).toBeUndefined()
    expect(progressOf(own({ status: 'sold', amount: 120 }))).toBeUndefined()
    expect(progressOf(own({ amount: 120, beingBought: 40, sold: 30 }))).toEqual({ sold: 30, beingBought: 40, left: 80 })
  })

  test('says what removing it does while a part of it is held', () => {
    expect(removalNote(own(), String)).toBeUndefined()
    expect(removalNote(own({ amount: 120, beingBought: 40 }), String)).toBe(
      'If you remove it now, 80 come back at once. The 40 that are being bought come back only if nobody pays for them.',
    )
  })
})
