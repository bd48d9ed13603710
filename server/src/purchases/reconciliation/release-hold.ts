import { Failure } from '@juicebar/contract/errors'
import { type Chain, type FinalizedView } from '../../chain/chain.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { endHold } from '../hold/end-hold.ts'
import { setReleaseReason } from '../hold/hold-store.ts'
import { isBeyondRelease, releaseObjection, type ReleaseState } from '../hold/hold.ts'
import { findRecordedPayment, type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { findPurchase, type PurchaseRow } from '../purchase/purchase-store.ts'
import { isProvedExpired } from './prove-expired.ts'
import { listHistorySearches } from './reconciliation-store.ts'
import { isUnprovable } from './history-search.ts'
import { hasLanded } from './purchase-decision.ts'
import { isId } from '@juicebar/contract/ids'

export interface ReleaseOrder {
  purchaseId: string
  /** In words for buyer and seller. */
  reason: string
  /** Records who released it, in the same transaction. */
  record: (tx: Tx) => Promise<void>
}

/**
 * Ends an open purchase, held or reserved, that no endpoint can ever prove unpaid. The listing is free again; the reference stays watched, so a
 * payment that turns up later is delivered or becomes a case.
 * @throws PURCHASE_NOT_FOUND, NOT_RELEASABLE with the reason, or CHAIN_DOWN
 */
export async function releaseHold(deps: PurchaseDeps, { purchaseId, reason, record }: ReleaseOrder): Promise<void> {
  const { database } = deps
  const purchase = isId(purchaseId) ? await findPurchase(database, purchaseId) : undefined
  if (!purchase) throw new Failure('PURCHASE_NOT_FOUND')
  const objection = releaseObjection(await readReleaseState(deps, purchase))
  if (objection) throw new Failure('NOT_RELEASABLE', { detail: objection })
  await inTransaction(database, async (tx) => {
    // The only possible change since then is its end: beyond the release height, no payment can be submitted.
    const ended = await endHold(tx, purchaseId, () => 'released')
    if (!ended) throw new Failure('NOT_RELEASABLE', { detail: 'it is not held any more.' })
    await setReleaseReason(tx, purchaseId, reason)
    await record(tx)
  })
  deps.observer?.holdEnded('released')
}

async function readReleaseState({ database, chain }: PurchaseDeps, purchase: PurchaseRow): Promise<ReleaseState> {
  const { id, status, coSigned } = purchase
  if (status !== 'held') return { status, beyondRelease: false, recordedExpired: false, unprovable: false }
  const [finalized, payment, searches] = await Promise.all([
    chain.finalized(),
    findRecordedPayment(database, id),
    listHistorySearches(database, id),
  ])
  return {
    status,
    // Only the recorded bytes of a reservation can land, and other copies of them, which expire with them.
    beyondRelease: coSigned || isBeyondRelease(finalized, purchase),
    recordedExpired: payment ? await isExpired(chain, finalized, payment) : !coSigned,
    unprovable: isUnprovable(searches, chain.endpoints()),
  }
}

/** Whether recorded bytes can no longer land, and no endpoint shows that they have. No endpoint keeps their accounts' history any more. */
async function isExpired(chain: Chain, finalized: FinalizedView, payment: PaymentRow): Promise<boolean> {
  const statuses = await chain.statuses([payment.signature], { everywhere: true })
  return !hasLanded(statuses.get(payment.signature)) && isProvedExpired(chain, finalized, payment, [])
}
