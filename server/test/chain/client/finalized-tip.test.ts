import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPlausible, type KnownTip, nextTip, type Tip } from '../../../src/chain/client/finalized-height.ts'

const FAR = 1_000_000n
const tip = (slot: bigint): Tip => ({ slot, height: slot - 100n })
const lies: ((honest: Tip) => Tip)[] = [
  (honest) => ({ ...honest, slot: honest.slot + FAR }),
  (honest) => ({ ...honest, height: honest.height + FAR }),
  ({ slot, height }) => ({ slot: slot + FAR, height: height + FAR }),
]
const first = (told: readonly Tip[], at = 0) => nextTip(undefined, told, at)!
const believes = (known: KnownTip, { slot, height }: Tip, at: number) =>
  isPlausible(known, 'slot', slot, at) && isPlausible(known, 'height', height, at)

describe('what endpoints tell', () => {
  const MINUTE = 60_000
  const step = fc.record({
    /** Since the last reading: at most an hour offline. */
    millis: fc.integer({ min: 0, max: 60 * MINUTE }),
    slotMillis: fc.constantFrom(50, 200, 214, 400),
    lags: fc.tuple(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 1_000n)),
    told: fc.constantFrom('both', 'lie', 'one', 'none'),
    lie: fc.constantFrom(...lies),
  })

  /** What can have passed since two endpoints agreed is less than a million slots for so long. */
  const MEASURED_MILLIS = 5 * 60 * MINUTE

  it('is believed of an honest endpoint at every time, and not if it is a million too high, whatever one of two has told before', () => {
    const property = fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
      let slot = 300_000_000n
      let now = 0
      let known = first([tip(slot), tip(slot)])
      let agreedAt = 0
      for (const { millis, slotMillis, lags, told, lie } of steps) {
        now += millis
        slot += BigInt(Math.floor(millis / slotMillis))
        const [one, other] = lags.map((lag) => tip(slot - lag)) as [Tip, Tip]
        const answers = { both: [one, other], lie: [lie(one), other], one: [other], none: [] }[told]
        known = nextTip(known, answers, now)!
        if (told === 'both') agreedAt = now
        expect([one, other].every((honest) => believes(known, honest, now))).toBe(true)
        if (now - agreedAt < MEASURED_MILLIS) expect(lies.some((tell) => believes(known, tell(tip(slot)), now))).toBe(false)
      }
    })
    fc.assert(property, { numRuns: 500 })
  })

  it.each(lies)('is believed of none beyond what the other confirms, if nothing was known: %#', (lie) => {
    for (const told of [
      [lie(tip(1_000_000n)), tip(1_000_000n)],
      [tip(1_000_000n), lie(tip(1_000_000n))],
    ]) {
      const known = first(told)
      expect(believes(known, tip(1_000_000n), 0)).toBe(true)
      expect(believes(known, lie(tip(1_000_000n)), 0)).toBe(false)
    }
  })

  it('is right again with the next reading, if one of two told too little when nothing was known', () => {
    const known = nextTip(first([tip(100n), tip(1_000_000n)]), [tip(1_000_300n), tip(1_000_290n)], MINUTE)!
    expect(believes(known, tip(1_000_300n), MINUTE)).toBe(true)
  })

  it('by the only one that answered at first counts until another one does', () => {
    const alone = first([tip(2_000_000n)])
    expect(believes(alone, tip(2_000_100n), 0)).toBe(true)
    const both = nextTip(alone, [tip(2_000_100n), tip(1_000_000n)], MINUTE)!
    expect(believes(both, tip(1_000_000n), MINUTE)).toBe(true)
    expect(believes(both, tip(2_000_000n), MINUTE)).toBe(false)
  })

  it('counts if they agree, however far the chain has come while the clock of this server stood still', () => {
    const known = nextTip(first([tip(1_000n), tip(1_000n)]), [tip(900_000n), tip(900_010n)], 1)!
    expect(known).toEqual({ ...tip(900_000n), at: 1, confirmed: true })
  })

  it('raises nothing by more than the second of three confirms', () => {
    expect(first([tip(1_000n), tip(5_900n), tip(1_010n)]).slot).toBe(1_010n)
  })
})
