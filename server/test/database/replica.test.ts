import { describe, expect, it } from 'vitest'
import { caughtUpTo } from '../../src/database/replica.ts'

describe('a replica', () => {
  const written = [
    { at: 1_000, lsn: 10n },
    { at: 1_500, lsn: 20n },
    { at: 2_000, lsn: 20n },
    { at: 2_500, lsn: 30n },
  ]

  it.each([
    ['is behind all of them', 9n, undefined],
    ['is between two', 19n, 1_000],
    ['has all that was written before a pause', 20n, 2_000],
    ['has everything', 30n, 2_500],
    ['has more than was written then', 31n, 2_500],
  ])('that %s shows what was committed until the last time that it has reached', (_which, replayed, at) => {
    expect(caughtUpTo(written, replayed)).toBe(at)
  })
})
