import { describe, expect, test } from 'vitest'

import { lastSale, salesSentence, salesSince } from '../../src/features/my-listings/new-sales.ts'

describe('new sales', () => {
  const sale = (settledAt: string | null, lamports: string) => ({ settledAt, lamports, tokenName: 'Apple Juice' as const, amount: 1_000 })
  const sales = [sale(null, '9'), sale('2026-01-03T00:00:00.000Z', '100000000'), sale('2026-01-02T00:00:00.000Z', '200000000')]

  test('are those delivered since the seller was told', () => {
    expect(salesSince(sales, '')).toHaveLength(2)
    expect(salesSince(sales, '2026-01-02T00:00:00.000Z')).toEqual([sales[1]])
    expect(salesSince(sales, lastSale(sales))).toEqual([])
    expect(lastSale([])).toBe('')
  })

  test('are one sentence, with the exact sum', () => {
    expect(salesSentence([])).toBeUndefined()
    expect(salesSentence(sales.slice(1, 2))).toBe('Sold: 1,000 Apple Juice for 0.1 SOL.')
    expect(salesSentence(sales.slice(1))).toBe('Sold: 2 of your lots for 0.3 SOL in total.')
  })
})
