import { describe, expect, it } from 'vitest'

import {
  BUYER_SCANS,
  finalitySeconds,
  leaseLimits,
  pauseMillis,
  proofsPerRound,
  scansBuyer,
  searchSeconds,
  secondsToNextLateSearch,
} from '../../../src/purchases/reconciliation/schedule.ts'

describe('the schedule of reconciliation', () => {
  it.each([
    ['after 1, 5 and 30 min, 2 h, 24 h and 7 days', false, [60, 300, 1_800, 7_200, 86_400, 604_800]],
    ['after 5 min and 24 h if only the server would have paid', true, [300, 86_400]],
  ])('searches for late payments %s', (_, serverSends, expected) => {
    const ages: number[] = []
    for (let age: number | null = 0; age !== null;) {
      const next = secondsToNextLateSearch(age, { serverSends })
      age = next === null ? null : age + next
      if (age !== null) ages.push(age)
    }
    expect(ages).toEqual(expected)
  })

  it('searches for the payment of a hold less and less often, but so often that it is delivered within 30 s', () => {
    const searchedAt: number[] = []
    const pauses = [0, 1, 10, 40, 80, 600].map((ageSeconds) => searchSeconds({ ageSeconds, secondsToPay: 60 - ageSeconds }))
    expect(pauses).toEqual([4, 4, 5, 15, 15, 15])
    for (let age = 4; age <= 60; age += searchSeconds({ ageSeconds: age, secondsToPay: 60 - age })) searchedAt.push(age)
    expect(searchedAt.length).toBeLessThanOrEqual(10)
    expect(searchSeconds({ ageSeconds: 55, secondsToPay: 5 })).toBeCloseTo(5.1)
  })

  it('asks about finality less and less often', () => {
    expect([12, 40, 1_000].map(finalitySeconds)).toEqual([4, 10, 60])
  })

  it('is not thrown off by a search in between', () => {
    const next = (age: number) => secondsToNextLateSearch(age, { serverSends: false })
    expect(next(100)).toBe(200)
    expect(next(60.4)).toBeCloseTo(239.6)
    expect(next(59.9)).toBeCloseTo(240.1)
    expect(next(604_900)).toBeNull()
  })

  it.each([
    [10, 15],
    [60, 15],
    [600, 34.5],
  ])(
    "scans the buyer's own transactions of a hold of %i seconds and its release every %f s, at most twenty times",
    (holdSeconds, pause) => {
      const scannedAt: number[] = []
      for (let ageSeconds = 0; ageSeconds < 2 * holdSeconds + 600; ageSeconds += 2) {
        if (scansBuyer({ ageSeconds, buyerScans: scannedAt.length }, holdSeconds)) scannedAt.push(ageSeconds)
      }
      expect(scannedAt).toHaveLength(BUYER_SCANS)
      const gaps = scannedAt.map((at, index) => at - (scannedAt[index - 1] ?? 0))
      expect(Math.max(...gaps)).toBeLessThan(pause + 2)
      expect(scannedAt.at(-1)).toBeGreaterThanOrEqual(holdSeconds + 90)
    },
  )

  it('goes on at once if more may be due', () => {
    expect(pauseMillis({ more: false })).toBe(400)
    expect(pauseMillis({ more: true })).toBe(50)
  })

  it('leases what is paid always, and the rest as far as the budget goes', () => {
    const limits = (perSecond: number, saturated: boolean, spare: boolean) => leaseLimits({ perSecond, saturated, spare })
    expect(limits(10, false, true)).toEqual({ paid: 256, unpaid: 4, closed: 1, cases: 1 })
    expect(limits(10, true, false)).toEqual({ paid: 256, unpaid: 1, closed: 0, cases: 1 })
    expect(limits(200, true, false)).toEqual({ paid: 256, unpaid: 24, closed: 0, cases: 16 })
    expect(limits(2_000, false, true)).toEqual({ paid: 256, unpaid: 64, closed: 64, cases: 64 })
  })

  it.each([
    [10, 2, 2],
    [200, 8, 2],
    [2_000, 80, 24],
  ])('proves with %i requests a second that %i holds of a round were not paid, and %i while others wait', (perSecond, holds, beside) => {
    expect(proofsPerRound({ perSecond, saturated: false })).toBe(holds)
    expect(proofsPerRound({ perSecond, saturated: true })).toBe(beside)
  })
})
