import { type Signature } from '@juicebar/contract/addresses'

import { type Chain } from '../../chain/chain.ts'

/** Beyond this number, the oldest are forgotten and read again if they turn up. */
const MAX_KEPT = 100_000

/**
 * Finalized transactions that do not settle a purchase and never will. Each is read once, however often it is found; otherwise anyone could
 * keep this server busy by sending many transactions with a purchase's reference. Kept for each chain client.
 */
const ruledOut = new WeakMap<Chain, Set<string>>()

export function isRuledOut(chain: Chain, purchaseId: string, signature: Signature): boolean {
  return ruledOut.get(chain)?.has(`${purchaseId} ${signature}`) ?? false
}

export function ruleOut(chain: Chain, purchaseId: string, signature: Signature): void {
  const kept = ruledOut.get(chain) ?? new Set()
  ruledOut.set(chain, kept)
  const [oldest] = kept
  if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest)
  kept.add(`${purchaseId} ${signature}`)
}
