import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
import { base58 } from '@scure/base'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'

/** The addresses of the market's own keys, without whose signature no co-signed payment or refund can move. */
export interface CoSignerAddresses {
  /** What new offers name. */
  current: WalletAddress
  /** Those of former secrets, the latest first: a payment that names one of them is still signed. */
  former: readonly WalletAddress[]
  /** What new refunds name. */
  refund: WalletAddress
  formerRefunds: readonly WalletAddress[]
}

/** Those that sign payments, the current one first. */
export function paymentKeys({ current, former }: Pick<CoSignerAddresses, 'current' | 'former'>): WalletAddress[] {
  return [current, ...former]
}

/** The market's own keys. */
export interface CoSigners extends CoSignerAddresses {
  /**
   * Signs a message (the bytes that the signers of a transaction sign) with the key of this address. Whoever has the result can send a
   * payment that its buyer signed, so it is asked for only in the database transaction that reserves what the payment buys.
   *
   * @returns the 64 bytes of the signature.
   * @throws Error if the key is none of these.
   */
  sign(address: string, message: Uint8Array): Uint8Array
}

/** What a key is derived for. A new version of the derivation gets a new text. */
const PAYMENTS = 'juicebar co-signer v1'
const REFUNDS = 'juicebar refund co-signer v1'
const SEED_BYTES = 32
/** What comes before the seed of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

interface Key {
  address: WalletAddress
  privateKey: KeyObject
}

/** Derives the keys from each secret. @param secrets as of `createReferences`: the first one is the current. */
export function createCoSigners(secrets: readonly string[]): CoSigners {
  const distinct = [...new Set(secrets)]
  const [payment, ...formerPayments] = distinct.map((secret) => deriveKey(secret, PAYMENTS))
  const [refund, ...formerRefunds] = distinct.map((secret) => deriveKey(secret, REFUNDS))
  if (!payment || !refund) throw new Error('co-signers need a secret')
  const keys = new Map([payment, ...formerPayments, refund, ...formerRefunds].map((key) => [key.address as string, key.privateKey]))
  return {
    current: payment.address,
    former: formerPayments.map(({ address }) => address),
    refund: refund.address,
    formerRefunds: formerRefunds.map(({ address }) => address),
    sign: (address, message) => {
      const key = keys.get(address)
      if (!key) throw new Error(`${address} is no co-signer of this market`)
      return sign(null, message, key)
    },
  }
}

function deriveKey(secret: string, purpose: string): Key {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', purpose, SEED_BYTES))
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const address = parseWalletAddress(base58.encode(Buffer.from(x, 'base64url')))
  if (!address) throw new Error('32 bytes in base58 are an address')
  return { address, privateKey }
}
