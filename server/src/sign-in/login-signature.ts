import { createPublicKey, verify } from 'node:crypto'

import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'

import { isSmallOrderKey } from '../chain/small-order-keys.ts'

/** What stands before the 32 raw bytes of an ed25519 key in its DER form (RFC 8410, section 4). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Whether the wallet's key signed this text. Keys of small order are refused: under those node:crypto takes signatures for
 * good that were made without any secret.
 */
export function isSignedBy(wallet: WalletAddress, text: string, signature: Signature): boolean {
  if (isSmallOrderKey(wallet)) return false
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, base58.decode(wallet)]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, base58.decode(signature))
}
