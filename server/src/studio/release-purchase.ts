import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { releaseHold } from '../purchases/reconciliation/release-hold.ts'
import { insertLogEntry } from './studio-log-store.ts'

interface Release {
  purchaseId: string
  /** In words for buyer and seller. */
  reason: string
  actor: string
}

/**
 * The studio ends a hold that the chain cannot prove to be unpaid; its log says who did so and why.
 * @throws PURCHASE_NOT_FOUND, NOT_RELEASABLE or CHAIN_DOWN
 */
export async function releasePurchase(deps: PurchaseDeps, { purchaseId, reason, actor }: Release): Promise<void> {
  await releaseHold(deps, {
    purchaseId,
    reason,
    record: (tx) => insertLogEntry(tx, { actor, call: 'releasePurchase', subject: purchaseId, reason }),
  })
}
