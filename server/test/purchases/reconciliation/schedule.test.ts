import { describe, expect, it } from 'vitest'

import {
  BUYER_SCANS,
  nextOpenLeases,
  OPEN_LEASES,
  pauseMillis,
  scansBuyer,
  secondsToNextLateSearch,
} from '../../../src/purchases/reconciliation/schedule.ts'

describe('the schedule of reconciliation', () => {
  it('searches for late payments after 1, 5 and 30 min, 2 h, 24 h and 7 days', () => {
    const ages = [60]
    for (let age: number | null = 60; age !== null;) {
      const next = secondsToNextLateSearch(age)
      age = next === null ? null : age + next
      if (age !== null) ages.push(age)
    }
    expect(ages).toEqual([60, 300, 1_800, 7_200, 86_400, 604_800])
  })

  it('is not thrown off by a search in between', () => {
    expect(secondsToNextLateSearch(100)).toBe(200)
    expect(secondsToNextLateSearch(60.4)).toBeCloseTo(239.6)
    expect(secondsToNextLateSearch(59.9)).toBeCloseTo(240.1)
    expect(secondsToNextLateSearch(604_900)).toBeNull()
  })

  it.each([60, 600])("spreads twenty scans of the buyer's own transactions over a hold of %i seconds and its release", (holdSeconds) => {
    const scannedAt: number[] = []
    for (let ageSeconds = 0; ageSeconds < 2 * holdSeconds + 600; ageSeconds += 2) {
      if (scansBuyer({ ageSeconds, buyerScans: scannedAt.length }, holdSeconds)) scannedAt.push(ageSeconds)
    }
    expect(scannedAt).toHaveLength(BUYER_SCANS)
    const gaps = scannedAt.map((at, index) => at - (scannedAt[index - 1] ?? 0))
    expect(Math.max(...gaps)).toBeLessThan((holdSeconds + 90) / 20 + 2)
    expect(scannedAt.at(-1)).toBeGreaterThanOrEqual(holdSeconds + 90)
  })

  it('goes on at once if more may be due, and pauses if the endpoints are saturated', () => {
    expect(pauseMillis({ more: false, saturated: false })).toBe(400)
    expect(pauseMillis({ more: true, saturated: false })).toBe(50)
    expect(pauseMillis({ more: true, saturated: true })).toBe(2_000)
  })

  it('leases more while more may be due, and less while the endpoints are saturated', () => {
    const { least, most } = OPEN_LEASES
    expect(nextOpenLeases(least, { more: true, saturated: false })).toBe(2 * least)
    expect(nextOpenLeases(most, { more: true, saturated: false })).toBe(most)
    expect(nextOpenLeases(least, { more: false, saturated: false })).toBe(least)
    expect(nextOpenLeases(most, { more: true, saturated: true })).toBe(most / 2)
    expect(nextOpenLeases(least, { more: true, saturated: true })).toBe(least)
  })
})
