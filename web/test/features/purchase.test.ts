import { describe, expect, test } from 'vitest'

import { isAsConfirmed, refusalToBuy } from '../../src/features/purchase/purchase.ts'
import { listing } from '../support/listing.ts'

describe('buying', () => {
  test('is refused for own listings and for those that cost more than the wallet holds', () => {
    const offer = listing({ seller: 'me', price: 1 })
    expect(refusalToBuy(offer, 'me', 10n ** 10n)).toBe('You cannot buy your own listing!')
    expect(refusalToBuy(offer, 'you', 999_999_999n)).toBe('Insufficient SOL to purchase!')
    expect(refusalToBuy(offer, 'you', 1_000_000_000n)).toBeUndefined()
  })

  test('asks the wallet for nothing but what was confirmed', () => {
    const offer = listing({ seller: 'S', price: 0.1 })
    expect(isAsConfirmed(offer, { seller: 'S', lamports: '100000000' })).toBe(true)
    expect(isAsConfirmed(offer, { seller: 'T', lamports: '100000000' })).toBe(false)
    expect(isAsConfirmed(offer, { seller: 'S', lamports: '100000001' })).toBe(false)
  })

  test('is left to the server if the balance is not known', () => {
    expect(refusalToBuy(listing(), 'you', undefined)).toBeUndefined()
  })
})
