import { base58 } from '@scure/base'
import { expect, test } from 'vitest'

import { isSmallOrderKey } from '../../src/chain/transactions/small-order-keys.ts'
import { newKey } from './hand-made.ts'

/** The field and the curve constant of ed25519 (RFC 8032, section 5.1). */
const p = 2n ** 255n - 19n
const d = modulo(-121665n * power(121666n, p - 2n))
const rootOfMinusOne = power(2n, (p - 1n) / 4n)

type Point = [x: bigint, y: bigint]

function modulo(value: bigint): bigint {
  return ((value % p) + p) % p
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = modulo(base), rest = exponent; rest > 0n; rest >>= 1n, square = modulo(square * square)) {
    if (rest & 1n) result = modulo(result * square)
  }
  return result
}

function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const product = modulo(d * x1 * x2 * y1 * y2)
  return [modulo((x1 * y2 + x2 * y1) * power(1n + product, p - 2n)), modulo((y1 * y2 + x1 * x2) * power(1n - product, p - 2n))]
}

/** The x of a point on the curve with this y; undefined where there is none. */
function xOf(y: bigint): bigint | undefined {
  const square = modulo((y * y - 1n) * power(d * y * y + 1n, p - 2n))
  const root = power(square, (p + 3n) / 8n)
  return [root, modulo(root * rootOfMinusOne)].find((x) => modulo(x * x) === square)
}

function timesEight(point: Point): Point {
  const twice = add(point, point)
  const fourTimes = add(twice, twice)
  return add(fourTimes, fourTimes)
}

/** Every y of a point of order 1, 2, 4 or 8: what a point of full order leaves when the prime part is multiplied away. */
function smallOrderYs(): Set<bigint> {
  const primeOrder = 2n ** 252n + 27742317777372353535851937790883648493n
  const found = new Set<bigint>()
  for (let y = 2n; found.size < 5; y++) {
    const x = xOf(y)
    if (x === undefined) continue
    let multiple: Point = [0n, 1n]
    let doubled: Point = [x, modulo(y)]
    for (let rest = primeOrder; rest > 0n; rest >>= 1n, doubled = add(doubled, doubled)) if (rest & 1n) multiple = add(multiple, doubled)
    expect(timesEight(multiple)).toEqual([0n, 1n])
    found.add(multiple[1])
  }
  return found
}

function encoded(y: bigint, signBit: boolean): string {
  const bytes = Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse()
  bytes.writeUInt8(bytes.readUInt8(31) | (signBit ? 0x80 : 0), 31)
  return base58.encode(bytes)
}

test('every encoding of every small-order point is known', () => {
  const encodings = [...smallOrderYs()].flatMap((y) => [y, y + p]).filter((y) => y < 2n ** 255n)
  expect(encodings).toHaveLength(7)
  for (const y of encodings) for (const signBit of [false, true]) expect(isSmallOrderKey(encoded(y, signBit))).toBe(true)
})

test('keys of wallets are not refused, and what is no key is', () => {
  for (let tries = 0; tries < 50; tries++) expect(isSmallOrderKey(newKey().address)).toBe(false)
  expect(isSmallOrderKey('juice')).toBe(true)
})
