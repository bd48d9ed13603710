import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Chain } from '../../../src/chain/chain.ts'
import { clock, waitsForSilent } from '../../../src/purchases/purchase/wait-for-endpoints.ts'

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
