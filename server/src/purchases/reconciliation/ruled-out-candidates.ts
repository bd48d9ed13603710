import { type Signature } from '@juicebar/contract/addresses'

import { type Chain } from '../../chain/chain.ts'
import { type PurchaseRow } from '../purchase-store.ts'

/** Beyond these the oldest are forgotten, and read once more should they turn up again. */
const MAX_KEPT = 100_000

/**
 * Final transactions that do not settle a purchase and never will: each is read once, however often it is found, or whoever sends many
 * transactions that name a purchase could keep this server busy with them. Kept for each chain client.
 */
const judged = new WeakMap<Chain, Set<string>>()

export function isJudged(chain: Chain, purchase: PurchaseRow, signature: Signature): boolean {
  return judged.get(chain)?.has(keyOf(purchase, signature)) ?? false
}

export function keepJudged(chain: Chain, purchase: PurchaseRow, signature: Signature): void {
  const kept = judged.get(chain) ?? new Set()
  judged.set(chain, kept)
  const [oldest] = kept
  if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest)
  kept.add(keyOf(purchase, signature))
}

function keyOf({ id }: PurchaseRow, signature: Signature): string {
  return `${id} ${signature}`
}
