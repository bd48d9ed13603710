import { createHash, randomBytes } from 'node:crypto'

import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'

const { Point } = ed25519

/** The scalars of signatures, modulo the order of the base point. */
const scalars = Point.Fn

/**
 * A valid signature of a message, another one each time. RFC 8032 derives the nonce from key and message, but a verifier cannot tell
 * whether it was drawn at random instead. @param seed the private key
 */
export function otherSignature(seed: Uint8Array, message: Uint8Array): Buffer {
  const { scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(seed)
  const nonce = scalars.create(bytesToNumberLE(randomBytes(32)))
  const withScalar = (s: bigint) => Buffer.concat([Point.BASE.multiply(nonce).toBytes(), numberToBytesLE(s, 32)])
  return withScalar(scalars.create(nonce + challenge(pointBytes, message, withScalar(0n)) * scalar))
}

/** k of RFC 8032, section 5.1.7. */
export function challenge(key: Uint8Array, message: Uint8Array, signature: Uint8Array): bigint {
  const hash = createHash('sha512').update(signature.subarray(0, 32)).update(key).update(message)
  return scalars.create(bytesToNumberLE(hash.digest()))
}
