import { randomBytes } from 'node:crypto'

import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'

import { challenge } from '../../../chaos/players/second-signature.ts'

const { Point } = ed25519

/** The scalars of signatures, modulo the order of the base point. */
const scalars = Point.Fn

/** The eight points of small order, and the two that are written with a sign they cannot have (RFC 8032, section 5.1). */
export const smallOrderKeys = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
].map((hex) => Buffer.from(hex, 'hex'))

/** The largest order of such a point; every other one divides it. */
const COFACTOR = 8n

/**
 * Signs a message under a key of small order, without its secret, which does not exist. A signature is valid when S*B = R + k*A. With
 * R = a*B and S = a that holds whenever k*A vanishes, which it does for one k in eight.
 */
export function forgeSignature(key: Uint8Array, message: Uint8Array): Buffer {
  for (;;) {
    const scalar = scalars.create(bytesToNumberLE(randomBytes(32)))
    const signature = Buffer.concat([Point.BASE.multiply(scalar).toBytes(), numberToBytesLE(scalar, 32)])
    if (challenge(key, message, signature) % COFACTOR === 0n) return signature
  }
}

/**
 * Whether a signature is valid by the equation alone. Some versions of `node:crypto` refuse keys of small order by themselves, so that
 * they cannot tell whether a forgery is a good one.
 */
export function satisfiesEquation(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const [r, s] = [decodePoint(signature.subarray(0, 32)), bytesToNumberLE(signature.subarray(32))]
  return Point.BASE.multiplyUnsafe(s).equals(r.add(decodePoint(key).multiplyUnsafe(challenge(key, message, signature))))
}

/** The same signature with S + L in place of S, which a careless verifier accepts too. */
export function malleate(signature: Uint8Array): Buffer {
  return Buffer.concat([signature.subarray(0, 32), numberToBytesLE(bytesToNumberLE(signature.subarray(32)) + scalars.ORDER, 32)])
}

/** Also what RFC 8032 does not allow: some keys are written so. */
function decodePoint(bytes: Uint8Array) {
  return Point.fromBytes(bytes, true)
}
