import { base58 } from '@scure/base'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { randomBytes } from 'node:crypto'

/** A new public key whose private key nobody has. A payment carries it, so that it can be found on the chain (Solana Pay's reference). */
export function newReference(): WalletAddress {
  const reference = parseWalletAddress(base58.encode(randomBytes(32)))
  if (!reference) throw new Error('32 bytes in base58 are an address')
  return reference
}
