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
