import { type WalletAddress } from '@juicebar/contract/addresses'
import { lamports } from '@juicebar/contract/money'
import { describe, expect, it } from 'vitest'

import { cooldownMinutes, requireBuyable, requireRoomForHold, solNeeded } from '../../../src/purchases/hold/hold.ts'
import { isSettled } from '../../../src/purchases/purchase.ts'
import {
  BUYER_SCANS,
  scansBuyer,
  nextOpenLeases,
  OPEN_LEASES,
  pauseMillis,
  secondsToNextLateSearch,
} from '../../../src/purchases/reconciliation/schedule.ts'

const seller = 'Seller' as WalletAddress
const buyer = 'Buyer' as WalletAddress
const lot = { seller, status: 'active', heldBy: null }

describe('the rules of a hold', () => {
  it('takes an active lot of somebody else', () => {
    expect(() => requireBuyable(lot, buyer)).not.toThrow()
  })

  it.each([
    [{ ...lot, seller: buyer }, 'OWN_LISTING'],
    [{ ...lot, status: 'sold' }, 'LISTING_NOT_ACTIVE'],
    [{ ...lot, status: 'removed' }, 'LISTING_NOT_ACTIVE'],
    [{ ...lot, heldBy: 'other' }, 'LISTING_HELD'],
  ])('refuses %o with %s', (refused, code) => {
    expect(() => requireBuyable(refused, buyer)).toThrow(expect.objectContaining({ code }))
  })

  it('allows three holds, and no two that a payment could not tell apart', () => {
    const open = (priceLamports: bigint, of = seller) => ({ seller: of, priceLamports })
    expect(() => requireRoomForHold([open(1n), open(2n)], open(3n))).not.toThrow()
    expect(() => requireRoomForHold([open(1n), open(2n), open(3n)], open(4n))).toThrow(expect.objectContaining({ code: 'TOO_MANY_HOLDS' }))
    expect(() => requireRoomForHold([open(1n)], open(1n))).toThrow(expect.objectContaining({ code: 'AMBIGUOUS_HOLD' }))
    expect(() => requireRoomForHold([open(1n)], open(1n, buyer))).not.toThrow()
  })

  it('asks for the prices, a fee each, the reserve and the rent', () => {
    expect(solNeeded([10n, 20n], lamports(890_880n))).toBe(30n + 2n * 5_000n + 100_000n + 890_880n)
  })

  it('doubles the wait with every lapse, up to a day', () => {
    expect([0, 1, 2, 3, 4, 9, 50].map(cooldownMinutes)).toEqual([10, 10, 20, 40, 80, 1440, 1440])
  })

  it.each([
    ['processed', 'confirmed', false],
    ['confirmed', 'confirmed', true],
    ['finalized', 'confirmed', true],
    ['confirmed', 'finalized', false],
    ['finalized', 'finalized', true],
  ] as const)('at %s with SETTLE_AT=%s settles: %s', (commitment, settleAt, settles) => {
    expect(isSettled(commitment, settleAt)).toBe(settles)
  })
})

describe('the schedule of looking', () => {
  it('looks for late payments at 1, 5 and 30 min, 2 h, 24 h and 7 days', () => {
    const ages = [60]
    for (let age: number | null = 60; age !== null;) {
      const next = secondsToNextLateSearch(age)
      age = next === null ? null : age + next
      if (age !== null) ages.push(age)
    }
    expect(ages).toEqual([60, 300, 1_800, 7_200, 86_400, 604_800])
  })

  it('is not thrown off by a look in between', () => {
    expect(secondsToNextLateSearch(100)).toBe(200)
    expect(secondsToNextLateSearch(60.4)).toBeCloseTo(239.6)
    expect(secondsToNextLateSearch(59.9)).toBeCloseTo(240.1)
    expect(secondsToNextLateSearch(604_900)).toBeNull()
  })

  it.each([60, 600])("spreads twenty readings of the buyer's own transactions over a hold of %i seconds and its end", (holdSeconds) => {
    const readAt: number[] = []
    for (let ageSeconds = 0; ageSeconds < 2 * holdSeconds + 600; ageSeconds += 2) {
      if (scansBuyer({ ageSeconds, buyerScans: readAt.length }, holdSeconds)) readAt.push(ageSeconds)
    }
    expect(readAt).toHaveLength(BUYER_SCANS)
    const gaps = readAt.map((at, index) => at - (readAt[index - 1] ?? 0))
    expect(Math.max(...gaps)).toBeLessThan((holdSeconds + 90) / 20 + 2)
    expect(readAt.at(-1)).toBeGreaterThanOrEqual(holdSeconds + 90)
  })

  it('goes on at once where more may be due, and leaves others their share where the chain allows no more', () => {
    expect(pauseMillis({ more: false, saturated: false })).toBe(400)
    expect(pauseMillis({ more: true, saturated: false })).toBe(50)
    expect(pauseMillis({ more: true, saturated: true })).toBe(2_000)
  })

  it('takes up more while more may be due, and less where the chain allows no more', () => {
    const { least, most } = OPEN_LEASES
    expect(nextOpenLeases(least, { more: true, saturated: false })).toBe(2 * least)
    expect(nextOpenLeases(most, { more: true, saturated: false })).toBe(most)
    expect(nextOpenLeases(least, { more: false, saturated: false })).toBe(least)
    expect(nextOpenLeases(most, { more: true, saturated: true })).toBe(most / 2)
    expect(nextOpenLeases(least, { more: true, saturated: true })).toBe(least)
  })
})
