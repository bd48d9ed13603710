import { createPublicKey, verify } from 'node:crypto'

import { base58 } from '@scure/base'

import { isSmallOrderKey } from './small-order-keys.ts'

/**
 * Whether the key of this address (base58 of 32 bytes) signed these bytes. False for keys of small order: before Node.js
 * 24, node:crypto accepts signatures under them that were made without a secret.
 */
export function isSignedBy(address: string, message: Uint8Array, signature: Uint8Array): boolean {
  if (isSmallOrderKey(address)) return false
  // As a JWK, the key takes 10 µs to parse; as DER, parsing takes OpenSSL as long as checking the signature.
  const x = Buffer.from(base58.decode(address)).toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, message, key, signature)
}
