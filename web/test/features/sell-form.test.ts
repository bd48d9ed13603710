import { describe, expect, test } from 'vitest'

import {
  compareUnitPrice,
  escrowPreview,
  isIncomplete,
  isMissing,
  sellProblems,
  unitPriceOf,
} from '../../src/features/inventory/sell-form.ts'

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
    expect(sellProblems({ amount: '6', price: '0.0009' }, 5)).toEqual({ amount: 'You have 5.', price: 'The lowest price is 0.001 SOL.' })
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

  test('says what the listing holds and what stays', () => {
    expect(escrowPreview('GRAPE_SODA', 1_000, 2_500)).toBe(
      'The listing holds 1,000 Grape Soda until it is sold or removed; 1,500 stay in your inventory.',
    )
  })
})
