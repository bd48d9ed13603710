import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

import { base58 } from '@scure/base'

/** A player's wallet: a key pair that signs texts. */
export interface TestWallet {
  address: string
  privateKey: KeyObject
  sign(text: string): string
}

export function createWallet(): TestWallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const address = base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
  return { address, privateKey, sign: (text) => base58.encode(sign(null, Buffer.from(text), privateKey)) }
}
