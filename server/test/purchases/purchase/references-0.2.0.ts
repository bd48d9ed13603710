import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { base58 } from '@scure/base'
import { createHmac, randomBytes } from 'node:crypto'

/** A reference as release 0.2.0 made them: its code covers no wallet. */
export function earlierReference(secret: string, kind: 'purchase' | 'refund'): WalletAddress {
  const random = randomBytes(16)
  const code = createHmac('sha256', secret).update(`juicebar ${kind} reference:`).update(random).digest().subarray(0, 16)
  const reference = parseWalletAddress(base58.encode(Buffer.concat([random, code])))
  if (!reference) throw new Error('32 bytes in base58 are an address')
  return reference
}
