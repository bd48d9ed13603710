import { base58 } from '@scure/base'
import { expect, test } from 'vitest'

import { isSmallOrderKey } from '../../src/chain/transactions/small-order-keys.ts'
import { encodableYs, encodeY, isIdentity, L, multiply, pointsAt, yOf } from './edwards25519.ts'
import { newKey } from './hand-made.ts'

/** Every y of a point of order 1, 2, 4 or 8: what is left of a point of full order when the prime part is multiplied away. */
function smallOrderYs(): Set<bigint> {
  const found = new Set<bigint>()
  for (let y = 2n; found.size < 5; y++) {
    const [point] = pointsAt(y)
    if (!point) continue
    const rest = multiply(point, L)
    expect(isIdentity(multiply(rest, 8n))).toBe(true)
    found.add(yOf(rest))
  }
  return found
}

test('every encoding of every small-order point is known', () => {
  const encodings = [...smallOrderYs()].flatMap(encodableYs)
  expect(encodings).toHaveLength(7)
  for (const y of encodings) {
    for (const signBit of [false, true]) expect(isSmallOrderKey(base58.encode(encodeY(y, signBit)))).toBe(true)
  }
})

test('keys of wallets are not refused, and what is no key is', () => {
  for (let tries = 0; tries < 50; tries++) expect(isSmallOrderKey(newKey().address)).toBe(false)
  expect(isSmallOrderKey('juice')).toBe(true)
})
