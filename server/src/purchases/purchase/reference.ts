import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { base58 } from '@scure/base'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'

export type ReferenceKind = 'purchase' | 'refund'

/** Makes references, and recognises this market's references even if the database no longer knows them. */
export interface References {
  /**
   * A new public key whose private key nobody knows. A payment carries it, so that it can be found on the chain (Solana Pay's reference):
   * 16 random bytes, and a code that only the holder of the secret can compute from them and the wallet that pays.
   *
   * @param payer the buyer of a purchase, or the seller who refunds.
   */
  make(kind: ReferenceKind, payer: WalletAddress): WalletAddress
  /** Whether this market made an address for this wallet to pay with; false for what releases before 0.3.0 made, which is for no wallet. */
  isMadeFor(address: string, kind: ReferenceKind, payer: string): boolean
  /**
   * What this market made an address for, if this wallet pays with it; undefined if it did not make it, made it for another wallet, or made
   * it before references carried a code. References of releases before 0.3.0 are recognised whoever pays.
   */
  kindOf(address: string, payer: string): ReferenceKind | undefined
}

const RANDOM_BYTES = 16
const CODE_BYTES = 16
const kinds = ['purchase', 'refund'] as const satisfies ReferenceKind[]

/**
 * @param secrets the first one makes references; each recognises its own. A secret may serve other purposes too, because nothing else
 * authenticates a text that begins like those of `codeOf` and `earlierCodeOf`.
 */
export function createReferences(secrets: readonly string[]): References {
  const [newest] = secrets
  if (newest === undefined) throw new Error('references need a secret')
  const hasCode = (address: string, code: (secret: string, random: Uint8Array) => Buffer): boolean => {
    if (parseWalletAddress(address) === undefined) return false
    const bytes = base58.decode(address)
    const random = bytes.subarray(0, RANDOM_BYTES)
    return secrets.some((secret) => timingSafeEqual(bytes.subarray(RANDOM_BYTES), code(secret, random)))
  }
  const isMadeFor = (address: string, kind: ReferenceKind, payer: string) =>
    hasCode(address, (secret, random) => codeOf(secret, kind, payer, random))
  return {
    make: (kind, payer) => {
      const random = randomBytes(RANDOM_BYTES)
      const reference = parseWalletAddress(base58.encode(Buffer.concat([random, codeOf(newest, kind, payer, random)])))
      if (!reference) throw new Error('32 bytes in base58 are an address')
      return reference
    },
    isMadeFor,
    kindOf: (address, payer) =>
      kinds.find((kind) => isMadeFor(address, kind, payer)) ??
      kinds.find((kind) => hasCode(address, (secret, random) => earlierCodeOf(secret, kind, random))),
  }
}

function codeOf(secret: string, kind: ReferenceKind, payer: string, random: Uint8Array): Buffer {
  return firstBytes(createHmac('sha256', secret).update(`juicebar ${kind} reference of ${payer}:`).update(random))
}

/** As releases before 0.3.0 computed it. */
function earlierCodeOf(secret: string, kind: ReferenceKind, random: Uint8Array): Buffer {
  return firstBytes(createHmac('sha256', secret).update(`juicebar ${kind} reference:`).update(random))
}

function firstBytes(hmac: Hmac): Buffer {
  return hmac.digest().subarray(0, CODE_BYTES)
}
