import { base58 } from '@scure/base'
import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export type ReferenceKind = 'purchase' | 'refund'

/** Makes references, and recognises this market's references even if the database no longer knows them. */
export interface References {
  /**
   * A new public key whose private key nobody knows. A payment carries it, so that it can be found on the chain (Solana Pay's reference):
   * 16 random bytes, and a code that only the holder of the secret can compute from them.
   */
  make(kind: ReferenceKind): WalletAddress
  /** What this market made an address for; undefined if it did not make it, or made it before references carried a code. */
  kindOf(address: string): ReferenceKind | undefined
}

const RANDOM_BYTES = 16
const CODE_BYTES = 16
const kinds = ['purchase', 'refund'] as const satisfies ReferenceKind[]

/**
 * @param secrets the first one makes references; each recognises its own. A secret may serve other purposes too, because nothing else
 * authenticates a text that begins like that of `codeOf`.
 */
export function createReferences(secrets: readonly string[]): References {
  const [newest] = secrets
  if (newest === undefined) throw new Error('references need a secret')
  return {
    make: (kind) => {
      const random = randomBytes(RANDOM_BYTES)
      const reference = parseWalletAddress(base58.encode(Buffer.concat([random, codeOf(newest, kind, random)])))
      if (!reference) throw new Error('32 bytes in base58 are an address')
      return reference
    },
    kindOf: (address) => {
      if (parseWalletAddress(address) === undefined) return undefined
      const bytes = base58.decode(address)
      const random = bytes.subarray(0, RANDOM_BYTES)
      const code = bytes.subarray(RANDOM_BYTES)
      return kinds.find((kind) => secrets.some((secret) => timingSafeEqual(code, codeOf(secret, kind, random))))
    },
  }
}

function codeOf(secret: string, kind: ReferenceKind, random: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`juicebar ${kind} reference:`).update(random).digest().subarray(0, CODE_BYTES)
}
