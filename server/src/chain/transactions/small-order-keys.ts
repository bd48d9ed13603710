import { parseWalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'

/**
 * Every 32-byte encoding of an ed25519 point of order 1, 2, 4 or 8, the sign bit cleared: y = 0, 1, the two y of order 8, p - 1, and
 * the non-canonical p and p + 1. Under such a key, anyone can make a signature without a secret that node:crypto and WebCrypto before
 * Node.js 24 accept for many messages. Source: RFC 8032 section 5.1 for the curve; the test multiplies each point by eight.
 */
const smallOrderPoints = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

const SIGN_BIT = 0x80

/**
 * Whether an address (base58 of 32 bytes) is a public key for which signatures can be forged. Also true for strings that are not addresses.
 */
export function isSmallOrderKey(address: string): boolean {
  if (!parseWalletAddress(address)) return true
  const point = Buffer.from(base58.decode(address))
  point.writeUInt8(point.readUInt8(31) & ~SIGN_BIT & 0xff, 31)
  return smallOrderPoints.has(point.toString('hex'))
}
