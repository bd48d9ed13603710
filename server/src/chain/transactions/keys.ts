import { createPublicKey, verify } from 'node:crypto'
import { parseWalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { base58 } from '@scure/base'
import { address, isOffCurveAddress } from '@solana/kit'

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

/**
 * Whether someone can have the private key of an address (base58 of 32 bytes). False for addresses of programs' accounts, which are
 * not on the curve, for the network's own, half of which are, and for keys of small order, whose signatures we never accept.
 */
export function mayHaveSigner(walletAddress: string): boolean {
  return reservedAddressName(walletAddress) === undefined && !isSmallOrderKey(walletAddress) && !isOffCurveAddress(address(walletAddress))
}

/** WALLET_CANNOT_SIGN, which says what the address is if it is one that everybody knows. */
export function cannotSign(walletAddress: string): Failure {
  const name = reservedAddressName(walletAddress)
  return new Failure('WALLET_CANNOT_SIGN', name === undefined ? {} : { detail: ` (${name})` })
}

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

/** Programs and mints that the network or its token programs came with, and what people paste in place of a wallet. */
const names: ReadonlyMap<string, string> = new Map([
  ['11111111111111111111111111111111', 'the System program'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'the Token program'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'the Token-2022 program'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'the Associated Token program'],
  ['So11111111111111111111111111111111111111112', 'the mint of wrapped SOL'],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'the Memo program'],
  ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', 'the former Memo program'],
  ['Stake11111111111111111111111111111111111111', 'the Stake program'],
  ['Vote111111111111111111111111111111111111111', 'the Vote program'],
  ['Config1111111111111111111111111111111111111', 'the Config program'],
  ['ComputeBudget111111111111111111111111111111', 'the Compute Budget program'],
  ['AddressLookupTab1e1111111111111111111111111', 'the Address Lookup Table program'],
  ['NativeLoader1111111111111111111111111111111', 'the native loader'],
  ['BPFLoader1111111111111111111111111111111111', 'a BPF loader'],
  ['BPFLoader2111111111111111111111111111111111', 'a BPF loader'],
  ['BPFLoaderUpgradeab1e11111111111111111111111', 'a BPF loader'],
  ['LoaderV411111111111111111111111111111111111', 'a program loader'],
  ['1nc1nerator11111111111111111111111111111111', 'the incinerator'],
])

/**
 * The network's own addresses are words that were filled up with 1s. A key whose address ends so would have to be searched for, and each
 * further 1 takes 58 times as long: nobody has found ten.
 */
const filledUp = /1{16}$/

/** What an address is that belongs to the network or its token programs, in words; undefined for any other. */
function reservedAddressName(address: string): string | undefined {
  const name = names.get(address)
  if (name !== undefined || !filledUp.test(address)) return name
  return address.startsWith('Sysvar') ? 'a sysvar' : 'an address reserved by Solana'
}
