import { type Purchase } from '@juicebar/contract/schemas'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { toCsv } from '../src/features/history/csv.ts'
import { explorerLink } from '../src/features/history/explorer-link.ts'
import { compareUnitPrice, escrowPreview, isIncomplete, isMissing, sellProblems, unitPriceOf } from '../src/features/inventory/sell-form.ts'
import { boardFor } from '../src/features/market/board.ts'
import { visibleRange } from '../src/features/market/use-visible-rows.ts'
import { lastSale, salesSentence, salesSince } from '../src/features/my-listings/new-sales.ts'
import { isAsConfirmed, refusalToBuy } from '../src/features/purchase/purchase.ts'
import {
  formatAmount,
  formatBalance,
  formatCountdown,
  formatSol,
  formatUnitPrice,
  shortAddress,
  shortSeller,
  shortSignature,
} from '../src/ui/format.ts'
import { listing } from './support/listing.ts'

describe('numbers and names', () => {
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

describe('the sell form', () => {
  test('is incomplete while a field is empty or not above 0', () => {
    for (const fields of [
      { amount: '', price: '1' },
      { amount: '1', price: '' },
      { amount: '0', price: '1' },
      { amount: '1', price: '-1' },
    ]) {
      expect(isIncomplete(fields)).toBe(true)
    }
    expect(isIncomplete({ amount: '1', price: '0.001' })).toBe(false)
    expect(isMissing({ amount: '0', price: ' ' })).toBe(true)
    expect(isMissing({ amount: '0', price: '0' })).toBe(false)
  })

  test('names what is out of bounds', () => {
    expect(sellProblems({ amount: '', price: '' }, 5)).toEqual({ amount: undefined, price: undefined })
    expect(sellProblems({ amount: '5', price: '0.001' }, 5)).toEqual({ amount: undefined, price: undefined })
    expect(sellProblems({ amount: '6', price: '0.0009' }, 5)).toEqual({ amount: 'You have 5.', price: 'The least price is 0.001 SOL.' })
    expect(sellProblems({ amount: '1.5', price: '0.0015' }, 5).amount).toBe('Only whole tokens can be sold.')
    expect(sellProblems({ amount: '1', price: '0.0015' }, 5).price).toContain('steps of 0.001 SOL')
    expect(sellProblems({ amount: '1', price: '1000001' }, 5).price).toContain('at most 1,000,000 SOL')
  })

  test('knows the unit price and how it compares', () => {
    expect(unitPriceOf({ amount: '4', price: '1' })).toBe(0.25)
    expect(unitPriceOf({ amount: '0', price: '1' })).toBeUndefined()
    expect(unitPriceOf({ amount: '', price: '' })).toBeUndefined()
    expect(compareUnitPrice(1, 1)).toEqual({ text: 'The same as the cheapest lot', farOff: false })
    expect(compareUnitPrice(1.5, 1)).toEqual({ text: '50% above the cheapest lot', farOff: false })
    expect(compareUnitPrice(0.51, 1)).toEqual({ text: '49% below the cheapest lot', farOff: false })
    expect(compareUnitPrice(0.5, 1)).toEqual({ text: '50% below the cheapest lot. Is this the price you mean?', farOff: true })
    expect(compareUnitPrice(2, 1).farOff).toBe(true)
  })

  test('tells what is put aside and what stays', () => {
    expect(escrowPreview('GRAPE_SODA', 1_000, 2_500)).toBe(
      '1,000 Grape Soda wait in the listing until sold or removed; 1,500 stay yours to use.',
    )
  })
})

describe('buying', () => {
  test('is refused for own lots and for lots dearer than the wallet', () => {
    const lot = listing({ seller: 'me', price: 1 })
    expect(refusalToBuy(lot, 'me', 10n ** 10n)).toBe('You cannot buy your own listing!')
    expect(refusalToBuy(lot, 'you', 999_999_999n)).toBe('Insufficient SOL to purchase!')
    expect(refusalToBuy(lot, 'you', 1_000_000_000n)).toBeUndefined()
  })

  test('asks the wallet for nothing but what was confirmed', () => {
    const lot = listing({ seller: 'S', price: 0.1 })
    expect(isAsConfirmed(lot, { seller: 'S', lamports: '100000000' })).toBe(true)
    expect(isAsConfirmed(lot, { seller: 'T', lamports: '100000000' })).toBe(false)
    expect(isAsConfirmed(lot, { seller: 'S', lamports: '100000001' })).toBe(false)
  })

  test('is left to the server where the balance is not known', () => {
    expect(refusalToBuy(listing(), 'you', undefined)).toBeUndefined()
  })
})

describe('the board', () => {
  test('fills any width exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 540, max: 4_000 }), (width) => {
        const { columns, cardWidth, gap } = boardFor(width, 16)
        expect(columns * cardWidth + (columns - 1) * gap).toBeCloseTo(width)
        expect(cardWidth).toBeGreaterThanOrEqual(244)
      }),
    )
    expect(boardFor(320, 16)).toMatchObject({ columns: 1, cardWidth: 320, compact: true })
    expect(boardFor(1280, 32).columns).toBe(2)
  })

  test('has every row that the window shows, and not many more', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(200_000), fc.integer({ min: 1, max: 2_000 }), (count, scroll, height) => {
        const { first, end } = visibleRange(count, 400, 300, scroll, height)
        const shown = Array.from({ length: count }, (_, row) => row).filter(
          (row) => 300 + row * 400 < scroll + height && 300 + (row + 1) * 400 > scroll,
        )
        for (const row of shown) expect(row >= first && row < end).toBe(true)
        expect(end - first).toBeLessThanOrEqual(shown.length + 8)
      }),
    )
    expect(visibleRange(0, 400, 0, 0, 900)).toEqual({ first: 0, end: 0 })
  })
})

describe('news of sold lots', () => {
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
    expect(salesSentence(sales.slice(1))).toBe('Sold: 2 of your lots, for 0.3 SOL in all.')
  })
})

test('a payment can be looked up where its chain has an explorer', () => {
  expect(explorerLink('mainnet', 'abc')).toBe('https://explorer.solana.com/tx/abc')
  expect(explorerLink('devnet', 'abc')).toBe('https://explorer.solana.com/tx/abc?cluster=devnet')
  expect(explorerLink('testnet', 'abc')).toBe('https://explorer.solana.com/tx/abc?cluster=testnet')
  expect(explorerLink('localnet', 'abc')).toBeUndefined()
})

test('a history becomes rows of comma-separated text', () => {
  const purchase: Purchase = {
    purchaseId: 'p"1',
    listingId: 'lot-1',
    buyer: 'B',
    seller: 'S',
    tokenType: 'APPLE_JUICE',
    tokenName: 'Apple Juice',
    amount: 3,
    price: 0.5,
    lamports: '500000000',
    status: 'settled',
    endReason: null,
    stage: 'delivered',
    signature: null,
    reference: 'R',
    sendsThrough: 'server',
    payBefore: '2026-01-01T00:01:00.000Z',
    payMillisLeft: 0,
    earlierChain: false,
    finalized: true,
    createdAt: '2026-01-01T00:00:00.000Z',
    settledAt: null,
  }
  const [head, row] = toCsv([purchase]).split('\r\n')
  expect(head).toBe('createdAt,settledAt,status,endReason,tokenName,amount,price,lamports,buyer,seller,signature,purchaseId')
  expect(row).toBe('2026-01-01T00:00:00.000Z,,settled,,Apple Juice,3,0.5,500000000,B,S,,"p""1"')
})
