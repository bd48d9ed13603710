import { base58 } from '@scure/base'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto'

/** Makes an ed25519 private key of 32 raw bytes (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_BYTES = 32

/** The demo market's sellers: real wallets, whose keys are derived from a secret. */
export function demoSellers(secret: string, count: number): WalletAddress[] {
  return Array.from({ length: count }, (_, index) => {
    const seed = createHmac('sha256', secret).update(`demo seller ${index}`).digest()
    const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
    const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    const address = parseWalletAddress(base58.encode(publicKey.subarray(-PUBLIC_KEY_BYTES)))
    if (!address) throw new Error('a public key is not a wallet address')
    return address
  })
}
