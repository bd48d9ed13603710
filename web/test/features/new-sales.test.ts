import { describe, expect, test } from 'vitest'

import { lastSale, listingsSold, salesSentence, salesSince } from '../../src/features/my-listings/new-sales-watch.tsx'

describe('new sales', () => {
  const item = (lamports: string, { listingId = lamports, partOf = null as string | null, seller = 'me' } = {}) => ({
    listingId,
    partOf,
    seller,
    tokenType: 'APPLE_JUICE' as const,
    tokenName: 'Apple Juice' as const,
    amount: 1_000,
    lamports,
    price: 0.1,
  })
  const sale = (settledAt: string | null, ...items: ReturnType<typeof item>[]) => ({ settledAt, items })
  const sales = [
    sale(null, item('9')),
    sale('2026-01-03T00:00:00.000Z', item('100000000')),
    sale('2026-01-02T00:00:00.000Z', item('200000000')),
  ]
  const sentence = (sold: typeof sales) => salesSentence(listingsSold(sold, 'me'))

  test('are those delivered since the seller was told', () => {
    expect(salesSince(sales, '')).toHaveLength(2)
    expect(salesSince(sales, '2026-01-02T00:00:00.000Z')).toEqual([sales[1]])
    expect(salesSince(sales, lastSale(sales))).toEqual([])
    expect(lastSale([])).toBe('')
  })

  test('are one sentence, with the exact sum', () => {
    expect(sentence([])).toBeUndefined()
    expect(sentence(sales.slice(1, 2))).toBe('Sold: 1,000 Apple Juice for 0.1 SOL.')
    expect(sentence(sales.slice(1))).toBe('Sold: 2 of your listings for 0.3 SOL in total.')
  })

  test('leave out what others sold in the same purchase', () => {
    const shared = sale('2026-01-04T00:00:00.000Z', item('500000000', { seller: 'another' }), item('100000000'))
    expect(sentence([shared])).toBe('Sold: 1,000 Apple Juice for 0.1 SOL.')
  })

  test('add up the parts of one listing', () => {
    const parts = ['100000000', '200000000'].map((lamports) => sale('2026-01-04T00:00:00.000Z', item(lamports, { partOf: 'whole' })))
    const rest = sale('2026-01-04T00:00:00.000Z', item('5', { listingId: 'whole' }))
    expect(listingsSold([...parts, rest], 'me')).toEqual([{ tokenName: 'Apple Juice', amount: 3_000, lamports: 300_000_005n }])
    expect(sentence(parts)).toBe('Sold: 2,000 Apple Juice for 0.3 SOL.')
  })
})
