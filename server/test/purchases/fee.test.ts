import { type WalletAddress } from '@juicebar/contract/addresses'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feeOf, feeShares } from '../../src/purchases/purchase/purchase.ts'

const studio = 'studio' as WalletAddress
const item = fc.record({ seller: fc.constantFrom('one', 'two', studio), lamports: fc.bigInt({ min: 1n, max: 10n ** 15n }) })
const items = fc.array(item, { minLength: 1, maxLength: 20 })
const basisPoints = fc.integer({ min: 0, max: 1_000 })

describe('the fee', () => {
  it.each([
    [39n, 250, 0n],
    [40n, 250, 1n],
    [1_000_000_000n, 1, 100_000n],
    [1_000_000_000n, 1_000, 100_000_000n],
    [1_000_000_000n, 0, 0n],
  ])('of %i lamports at %i basis points is rounded down to %i', (lamports, basisPoints, fee) => {
    expect(feeOf([{ seller: 'one', lamports }], { basisPoints, wallet: studio }, 'buyer')).toBe(fee)
  })

  it('is taken of the total of what the fee wallet does not sell itself', () => {
    fc.assert(
      fc.property(items, basisPoints, (items, basisPoints) => {
        const total = items.filter(({ seller }) => seller !== studio).reduce((sum, { lamports }) => sum + lamports, 0n)
        expect(feeOf(items, { basisPoints, wallet: studio }, 'buyer')).toBe((total * BigInt(basisPoints)) / 10_000n)
      }),
    )
  })

  it('is nothing for the fee wallet itself, and without one', () => {
    const items = [{ seller: 'one', lamports: 1_000_000n }]
    expect(feeOf(items, { basisPoints: 250, wallet: studio }, studio)).toBe(0n)
    expect(feeOf(items, { basisPoints: 0, wallet: undefined }, undefined)).toBe(0n)
    expect(feeOf(items, { basisPoints: 250, wallet: studio }, undefined)).toBe(25_000n)
  })

  it('is shared among the items to the lamport, and what comes later changes no share', () => {
    fc.assert(
      fc.property(items, basisPoints, fc.nat(), (items, basisPoints, cut) => {
        const terms = { basisPoints, wallet: studio }
        const shares = feeShares(items, terms, 'buyer')
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(feeOf(items, terms, 'buyer'))
        const first = items.slice(0, cut % items.length)
        expect(feeShares(first, terms, 'buyer')).toEqual(shares.slice(0, first.length))
        shares.forEach((share, index) => {
          const { seller, lamports } = items[index]!
          // Rounding moves less than a lamport from one item to the next.
          const exact = seller === studio ? 0n : lamports * BigInt(basisPoints)
          const apart = share * 10_000n - exact
          expect(apart > -10_000n && apart < 10_000n).toBe(true)
        })
      }),
    )
  })
})
