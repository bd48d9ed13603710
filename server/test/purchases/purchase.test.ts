import { expect, it } from 'vitest'

import { isSettled } from '../../src/purchases/purchase.ts'

it.each([
  ['processed', 'confirmed', false],
  ['confirmed', 'confirmed', true],
  ['finalized', 'confirmed', true],
  ['confirmed', 'finalized', false],
  ['finalized', 'finalized', true],
] as const)('a payment at %s with SETTLE_AT=%s settles: %s', (commitment, settleAt, settles) => {
  expect(isSettled(commitment, settleAt)).toBe(settles)
})
