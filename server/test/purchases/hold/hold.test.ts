import { readFileSync } from 'node:fs'
import { errors } from '@juicebar/contract/errors'
import { lamports } from '@juicebar/contract/money'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideAdmission, noReservations, type Reservations, returnReservation } from '../../../src/purchases/hold/hold.ts'
import { spendableLamports, refusalFailure } from '../../../src/purchases/reservation/order.ts'
import { defaultCatalogue } from '../../support/catalogue.ts'

const requests = 3

/** So many buyers come at `now`: how many are admitted, and when the others are told to come back. */
function arrive(buyers: number, { now = 1_000, perSecond = 10, backlogSeconds = 0, before = noReservations } = {}) {
  let reservations: Reservations = before
  let admitted = 0
  const retryAfter: number[] = []
  for (let n = 0; n < buyers; n++) {
    const admission = decideAdmission(reservations, { now, perSecond, backlogSeconds, requests })
    reservations = admission.reservations
    if (admission.kind === 'admitted') admitted += 1
    else retryAfter.push(admission.retryAfter)
  }
  return { admitted, retryAfter, reservations }
}

describe('admission to a purchase', () => {
  it('is granted as long as the budget can serve all who were admitted within five seconds', () => {
    expect(arrive(40).admitted).toBe(16)
    expect(arrive(40, { perSecond: 50 }).admitted).toBe(40)
    expect(arrive(200, { perSecond: 50 }).admitted).toBe(83)
  })

  it('is granted to a single buyer however small the budget', () => {
    expect(arrive(2, { perSecond: 0.1 }).admitted).toBe(1)
  })

  it('is refused while requests of others wait', () => {
    expect(arrive(1, { backlogSeconds: 4.5 })).toMatchObject({ admitted: 0, retryAfter: [3] })
  })

  it('tells those who are refused to come back one after the other, when there will be room', () => {
    const { retryAfter, reservations } = arrive(40)
    expect(retryAfter[0]).toBe(1)
    expect(retryAfter.at(-1)).toBe(7)
    expect(retryAfter).toEqual(retryAfter.toSorted((a, b) => a - b))
    const later = retryAfter.reduce(
      (state, seconds) => {
        const admission = decideAdmission(state.reservations, { now: 1_000 + seconds, perSecond: 10, backlogSeconds: 0, requests })
        return { reservations: admission.reservations, admitted: state.admitted + (admission.kind === 'admitted' ? 1 : 0) }
      },
      { reservations, admitted: 0 },
    )
    expect(later.admitted).toBe(24)
  })

  it('is open again for a hold that was not placed', () => {
    const { reservations } = arrive(16)
    expect(arrive(1, { before: reservations }).admitted).toBe(0)
    expect(arrive(2, { before: returnReservation(reservations, { perSecond: 10, requests }) }).admitted).toBe(1)
  })

  it('never grants more than the budget pays for, however buyers come', () => {
    const arrivals = fc.array(fc.record({ pause: fc.double({ min: 0, max: 3, noNaN: true }), buyers: fc.integer({ min: 1, max: 30 }) }), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 500 }), (waves, perSecond) => {
        let [now, before, admitted] = [1_000, noReservations, 0]
        for (const { pause, buyers } of waves) {
          now += pause
          const wave = arrive(buyers, { now, perSecond, before })
          before = wave.reservations
          admitted += wave.admitted
        }
        const ahead = Math.max(5, requests / perSecond)
        expect((admitted * requests) / perSecond).toBeLessThanOrEqual(now - 1_000 + ahead + 1e-6)
      }),
    )
  })
})

const refusal = { retrySeconds: undefined, allowed: undefined }

describe('a refused hold', () => {
  it('has a code of the contract, also where the database refuses', () => {
    const schema = readFileSync(new URL('../../../schema.sql', import.meta.url), 'utf8')
    const codes = [...schema.matchAll(/^ *(?:return|refusal :=|(?:return case )?when .* then) '([A-Z_]{4,})'/gm)].map(([, code]) => code)
    expect(codes).toHaveLength(9)
    expect(Object.keys(errors)).toEqual(expect.arrayContaining(codes))
  })

  it('tells a buyer in cooldown how long to wait', () => {
    const told = (listingId?: string) => refusalFailure({ ...refusal, code: 'COOLDOWN', listingId, retrySeconds: 61 }, defaultCatalogue)
    expect(told('a')).toMatchObject({
      retryAfter: 61,
      message: 'You cannot buy this yet. You left this listing unpaid more than once. You can try again in 2 min.',
    })
    expect(told().message).toBe('You cannot buy this yet. Three of your payments have failed within an hour. You can try again in 2 min.')
  })

  it('tells a buyer with too many holds how many are allowed', () => {
    const text = (allowed: number) => refusalFailure({ ...refusal, code: 'TOO_MANY_HOLDS', allowed }, defaultCatalogue).message
    expect(text(3)).toContain('3 purchases at a time')
    expect(text(1)).toContain('one purchase at a time')
  })
})

it('a wallet can spend its SOL except for the reserve and the rent', () => {
  expect(spendableLamports(lamports(2_000_000n), lamports(890_880n))).toBe(2_000_000n - 100_000n - 890_880n)
})
