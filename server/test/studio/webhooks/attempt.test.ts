import { describe, expect, it } from 'vitest'

import { afterFailure, isDelivered, RETRY_SECONDS } from '../../../src/studio/webhooks/delivery/attempt.ts'

describe('a message that was not taken', () => {
  it('is tried ten times in 75 hours, then its webhook is switched off', () => {
    const after = Array.from({ length: 10 }, (_, index) => afterFailure({ status: 500 }, index + 1))
    expect(after.slice(0, 9)).toEqual(
      [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((retrySeconds) => ({ retrySeconds })),
    )
    expect(after[9]).toEqual({ switchOff: 'failed' })
    expect(Math.floor(RETRY_SECONDS.reduce((sum, seconds) => sum + seconds) / 3_600)).toBe(75)
  })

  it('is not tried again after 410', () => {
    expect(afterFailure({ status: 410 }, 1)).toEqual({ switchOff: 'gone' })
  })
})

it.each([
  [200, true],
  [204, true],
  [299, true],
  [199, false],
  [300, false],
  [304, false],
  [410, false],
  [500, false],
  [null, false],
])('an answer with status %s delivers it: %s', (status, delivered) => {
  expect(isDelivered({ status })).toBe(delivered)
})
