import { type Signature } from '@juicebar/contract/addresses'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Chain } from '../../../src/chain/chain.ts'
import { clock, waitsForSecond, waitsForSilent } from '../../../src/purchases/purchase/wait-for-endpoints.ts'

let now = 0
beforeEach(() => {
  now = 0
  vi.spyOn(clock, 'now').mockImplementation(() => now)
})

/** A chain of which only this matters here. */
const chainThat = (isWhole: () => boolean) => ({ isWhole }) as Chain

describe('the wait for an endpoint that does not answer', () => {
  it('is over after a minute', () => {
    const chain = chainThat(() => false)
    expect(waitsForSilent(chain, 'the end of a hold', [])).toBe(true)
    now = 59_999
    expect(waitsForSilent(chain, 'the end of a hold', [])).toBe(true)
    now = 60_000
    expect(waitsForSilent(chain, 'the end of a hold', [])).toBe(false)
  })

  it('begins again once it has answered', () => {
    let answers = false
    const chain = chainThat(() => answers)
    expect(waitsForSilent(chain, 'the end of a hold', [])).toBe(true)
    answers = true
    now = 10_000
    expect(waitsForSilent(chain, 'the end of a hold', [])).toBe(false)
    answers = false
    now = 90_000
    expect(waitsForSilent(chain, 'the end of a hold', [])).toBe(true)
    now = 150_000
    expect(waitsForSilent(chain, 'the end of a hold', [])).toBe(false)
  })
})

describe('the wait for a second endpoint that shows the same', () => {
  const signature = '5'.repeat(88) as Signature
  const after = (seconds: number, chain: Chain, doubt?: 'alone' | 'disputed') => {
    now = seconds * 1_000
    return waitsForSecond(chain, { signature, doubt })
  }

  it('is over after a minute if the other does not answer, and after a quarter of an hour if it hides or contradicts it', () => {
    const silent = chainThat(() => false)
    expect([0, 59, 60].map((seconds) => after(seconds, silent, 'alone'))).toEqual([true, true, false])
    for (const doubt of ['alone', 'disputed'] as const) {
      const whole = chainThat(() => true)
      expect([0, 899, 900].map((seconds) => after(seconds, whole, doubt))).toEqual([true, true, false])
    }
  })

  it('is a minute of its own once what contradicted it falls silent, and begins again once both have agreed', () => {
    let answers = true
    const chain = chainThat(() => answers)
    expect(after(0, chain, 'disputed')).toBe(true)
    answers = false
    expect([100, 159, 160].map((seconds) => after(seconds, chain, 'alone'))).toEqual([true, true, false])
    answers = true
    expect(after(200, chain)).toBe(false)
    expect([1_000, 1_899, 1_900].map((seconds) => after(seconds, chain, 'disputed'))).toEqual([true, true, false])
  })
})
