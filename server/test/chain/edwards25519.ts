/** The curve of ed25519 in plain arithmetic (RFC 8032, section 5.1), for tests alone: it is neither fast nor safe with secrets. */

const p = 2n ** 255n - 19n
const d = modulo(-121665n * power(121666n, p - 2n))
const rootOfMinusOne = power(2n, (p - 1n) / 4n)

/** The order of the base point. */
export const L = 2n ** 252n + 27742317777372353535851937790883648493n

/** Extended coordinates: x = X/Z, y = Y/Z and xy = T/Z. */
export type Point = readonly [X: bigint, Y: bigint, Z: bigint, T: bigint]

const identity: Point = [0n, 1n, 1n, 0n]

/** The points with this y, which is taken modulo p; none where y is on no point of the curve. */
export function pointsAt(y: bigint): Point[] {
  const square = modulo((y * y - 1n) * power(d * y * y + 1n, p - 2n))
  const root = power(square, (p + 3n) / 8n)
  const x = [root, modulo(root * rootOfMinusOne)].find((candidate) => modulo(candidate * candidate) === square)
  if (x === undefined) return []
  return [x, modulo(-x)].map((either) => [either, modulo(y), 1n, modulo(either * y)])
}

export function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const [a, b, c, e] = [(y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2), 2n * d * t1 * t2, 2n * z1 * z2]
  const [f, g, h, i] = [b - a, e - c, e + c, b + a]
  return [modulo(f * g), modulo(h * i), modulo(g * h), modulo(f * i)]
}

export function multiply(point: Point, scalar: bigint): Point {
  let result = identity
  for (let doubled = point, rest = scalar; rest > 0n; rest >>= 1n, doubled = add(doubled, doubled)) {
    if (rest & 1n) result = add(result, doubled)
  }
  return result
}

export function isIdentity(point: Point): boolean {
  return areEqual(point, identity)
}

export function areEqual([x1, y1, z1]: Point, [x2, y2, z2]: Point): boolean {
  return modulo(x1 * z2 - x2 * z1) === 0n && modulo(y1 * z2 - y2 * z1) === 0n
}

export function yOf([, y, z]: Point): bigint {
  return modulo(y * power(z, p - 2n))
}

/** The 32 bytes of a y, which may be p or more, with its sign bit. */
export function encodeY(y: bigint, signBit: boolean): Buffer {
  return littleEndian(y | (signBit ? 2n ** 255n : 0n))
}

/** The encodings of y that fit in 255 bits: one, or two where y + p fits as well. */
export function encodableYs(y: bigint): bigint[] {
  return [y, y + p].filter((value) => value < 2n ** 255n)
}

/** @throws on bytes that encode no point. */
export function decodePoint(bytes: Uint8Array): Point {
  const value = fromLittleEndian(bytes)
  const signBit = value >> 255n
  const points = pointsAt(value & (2n ** 255n - 1n))
  const point = points.find(([x]) => (x & 1n) === signBit) ?? points[0]
  if (!point) throw new Error(`${Buffer.from(bytes).toString('hex')} encodes no point`)
  return point
}

export const basePoint = decodePoint(Buffer.from(`58${'66'.repeat(31)}`, 'hex'))

export function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

export function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
}

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
