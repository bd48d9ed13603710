import { type Purchase } from '@juicebar/contract/schemas'
import { expect, test } from 'vitest'

import { orderOf } from '../../src/features/purchase/order/order-terms.ts'
import { takeUnfollowed } from '../../src/features/purchase/open/open-purchases.tsx'

let purchases = 0

/** A new open purchase. */
function open(signature: string | null): Purchase {
  const id = ++purchases
  const items = [{ listingId: `part-${id}`, partOf: `listing-${id}`, seller: 'S', amount: 4, lamports: '8' }]
  return { purchaseId: `purchase-${id}`, items, fee: { lamports: '0', basisPoints: 0 }, status: 'held', signature } as Purchase
}

test('a paid purchase is followed once', () => {
  const paid = open('first')
  expect(takeUnfollowed([paid, open(null)], undefined)).toEqual([paid])
  expect(takeUnfollowed([paid], undefined)).toEqual([])
})

test('the purchase that this tab carries out is left to it', () => {
  const paid = open('first')
  expect(takeUnfollowed([paid], orderOf(paid))).toEqual([])
})

test('a purchase that is paid again, since its first payment failed for good, is followed again', () => {
  const paid = open('first')
  takeUnfollowed([paid], undefined)
  const again = { ...paid, signature: 'second' }
  expect(takeUnfollowed([again], undefined)).toEqual([again])
})

test('a purchase that has ended is forgotten', () => {
  const paid = open('first')
  takeUnfollowed([paid], undefined)
  takeUnfollowed([], undefined)
  expect(takeUnfollowed([paid], undefined)).toEqual([paid])
})
