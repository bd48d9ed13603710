import { describe, expect, it } from 'vitest'
import { isSettled } from '../../../src/purchases/purchase/purchase.ts'
import { longWaitSeconds, waitOf } from '../../../src/purchases/purchase/purchase-wait.ts'
import { held, payment } from '../reconciliation/purchase-snapshots.ts'

const second = (seconds: number) => new Date(1_000 * seconds)
const hold = { ...held, createdAt: second(1) }
const payUntil = second(61)
const settled = { ...hold, status: 'settled', settledAt: second(5) } as const
const sent = { ...payment, createdAt: second(3) }

describe('a purchase waits for', () => {
  it.each([
    ['its buyer to pay', 1, hold, 60, undefined],
    ['its payment to land on the chain', 3, hold, 60, sent],
    ['its payment to land on the chain', 3, hold, 61, sent],
    ['its landed payment to be final', 4, hold, 60, { ...sent, confirmedAt: second(4) }],
    ['the chain to prove that nobody paid', 61, hold, 61, undefined],
    ['the studio to release it', 90, { ...hold, unprovableAt: second(90) }, 99, undefined],
    ['its payment to be finalized', 5, settled, 61, sent],
  ])('%s, since second %i', (waitingFor, since, purchase, now, paid) => {
    expect(waitOf(purchase, { now: second(now), payUntil, payment: paid })).toMatchObject({ waitingFor, since: second(since) })
  })

  it.each([
    ['delivered and final', { ...settled, finalizedAt: second(20) }],
    ['ended', { ...hold, status: 'ended' as const }],
  ])('nothing once it is %s', (_what, purchase) => {
    expect(waitOf(purchase, { now: second(99), payUntil, payment: undefined })).toBeUndefined()
  })
})

describe('a long wait', () => {
  const wait = { waitingFor: 'its payment to land on the chain', since: second(0), usualSeconds: 30 }
  const toldAt = (seconds: readonly number[]) =>
    seconds.filter((now, index) => {
      const last = seconds[index - 1]
      return longWaitSeconds(wait, { now: second(now), last: last === undefined ? null : second(last) }) !== undefined
    })

  it('is told once, and again when it is ten times as long', () => {
    const everySecond = Array.from({ length: 4_000 }, (_, index) => index)
    expect(toldAt(everySecond)).toEqual([30, 300, 3_000])
  })

  it('is told once by whoever looks first after a pause', () => {
    expect(toldAt([1, 400, 401, 402])).toEqual([400])
    expect(toldAt([50, 51])).toEqual([50])
  })

  it('of what buyers may take their time for is never told', () => {
    expect(longWaitSeconds({ ...wait, usualSeconds: undefined }, { now: second(500), last: null })).toBeUndefined()
  })
})

it.each([
  ['processed', 'confirmed', false],
  ['confirmed', 'confirmed', true],
  ['finalized', 'confirmed', true],
  ['confirmed', 'finalized', false],
  ['finalized', 'finalized', true],
] as const)('a payment at %s with SETTLE_AT=%s settles: %s', (commitment, settleAt, settles) => {
  expect(isSettled(commitment, settleAt)).toBe(settles)
})
