import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  formatAmount,
  formatCountdown,
  formatRate,
  formatSol,
  formatUnitPrice,
  shortAddress,
  shortSeller,
  shortSignature,
} from '../src/ui/format.ts'
import { formatBalance } from '../src/shell/header/player-controls.tsx'

describe('numbers and names', () => {
  test('a rate in hundredths of a percent is a percentage', () => {
    expect([250, 1_000, 1].map(formatRate)).toEqual(['2.5%', '10%', '0.01%'])
  })

  test('a balance has four decimals and is never rounded up', () => {
    expect(formatBalance(0n)).toBe('0.0000')
    expect(formatBalance(1_999_999_999n)).toBe('1.9999')
    expect(formatBalance(12_345_600_000n)).toBe('12.3456')
  })

  test('prices and amounts are shown in full', () => {
    expect(formatSol(0.001)).toBe('0.001')
    expect(formatSol(999_999.999)).toBe('999,999.999')
    expect(formatAmount(1_000_000_000)).toBe('1,000,000,000')
    expect(formatUnitPrice(1 / 3)).toBe('0.3333')
    expect(formatUnitPrice(0.001 / 1_000_000_000)).toBe('0.000000000001')
  })

  test('numbers are written as the browser’s own formats would write them', () => {
    const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
    const sol = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 })
    const unit = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 })
    const lamports = fc.oneof(fc.nat(100_000), fc.maxSafeNat()).map((count) => count / 1e9)
    fc.assert(
      fc.property(fc.maxSafeNat(), (amount) => {
        expect(formatAmount(amount)).toBe(whole.format(amount))
      }),
    )
    fc.assert(
      fc.property(lamports, (price) => {
        expect(formatSol(price)).toBe(sol.format(price))
      }),
    )
    fc.assert(
      fc.property(lamports, fc.integer({ min: 1, max: 1_000_000_000 }), (price, amount) => {
        // In the middle between two, each rounds its own way.
        fc.pre(!/[1-9]\.?\d\.?\d\.?\d\.?5(?:e|$)/.test(String(price / amount)))
        expect(formatUnitPrice(price / amount)).toBe(unit.format(price / amount))
      }),
    )
  })

  test('addresses and signatures are shortened as the specification says', () => {
    const address = '8qEDkoVTFzWBsRd6sU9SiyTdqbDkN5GwNWbQeetA61NW'
    expect(shortSeller(address)).toBe('8qEDkoVT…')
    expect(shortAddress(address)).toBe('8qED..61NW')
    expect(shortSignature(address)).toBe('8qEDkoVTFzWBsRd6sU9S')
  })

  test('a countdown never goes below zero', () => {
    expect(formatCountdown(65_000)).toBe('1:05')
    expect(formatCountdown(-5)).toBe('0:00')
  })
})
