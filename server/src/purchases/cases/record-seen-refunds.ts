import { type Signature } from '@juicebar/contract/addresses'
import { type Chain, type SignatureEntry } from '../../chain/chain.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { findPreparedRefunds, insertSeenRefunds, type SeenRefund } from './seen-refund-store.ts'
import { isMentioned, MENTIONS, oldestMentions } from './case.ts'

/**
 * Looks on every endpoint for refunds of a late payment that its sellers' wallets may have sent by themselves, and records what it finds. A
 * seller's wallet may sign a refund long after it was prepared, and it counts from the moment at which it lands: whoever is about to deliver
 * asks, since its case may not have heard of it.
 *
 * @returns whether there may be one
 * @throws CHAIN_DOWN
 */
export async function recordSeenRefunds({ database, chain }: PurchaseDeps, purchaseId: string, signature: Signature): Promise<boolean> {
  for (const { caseId, reference } of await findPreparedRefunds(database, purchaseId, signature)) {
    const entries = await chain.recentSignatures(reference, 0n, MENTIONS, { everywhere: true })
    if (!isMentioned(entries)) continue
    await insertSeenRefunds(database, caseId, await asSeen(chain, oldestMentions(entries)))
    return true
  }
  return false
}

/** Transactions on the chain, with the height up to which they could land again. */
export async function asSeen(chain: Chain, entries: readonly SignatureEntry[]): Promise<SeenRefund[]> {
  return Promise.all(entries.map(async ({ signature, slot }) => ({ signature, expiryHeight: await chain.expiryHeight(slot) })))
}
