import { createPublicKey, verify } from 'node:crypto'

import { base58 } from '@scure/base'

import { isSmallOrderKey } from './small-order-keys.ts'

/**
 * Whether the key of this address (base58 of 32 bytes) signed these bytes. Keys of small order are refused: under those node:crypto
 * takes signatures for good that were made without any secret.
 */
export function isSignedBy(address: string, message: Uint8Array, signature: Uint8Array): boolean {
  if (isSmallOrderKey(address)) return false
  // Read as a JWK the key costs 10 µs; in DER, OpenSSL takes as long to read it as to check a signature.
  const x = Buffer.from(base58.decode(address)).toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, message, key, signature)
}
