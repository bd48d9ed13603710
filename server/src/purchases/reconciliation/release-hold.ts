import { BLOCKHASH_BLOCKS, type FinalizedView } from '../../chain/chain.ts'
import { inTransaction } from '../../database/transact.ts'
import { endHold, endsUnpaid } from '../hold/end-hold.ts'
import { type Evidence } from './chain-snapshot.ts'
import { findRecordedPayment } from '../payment/payment-store.ts'
import { RELEASE_MARGIN_BLOCKS } from '../purchase.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { type PurchaseRow, setReleaseHeight } from '../purchase-store.ts'
import { settleFromClues } from './find-candidates.ts'

/**
 * Ends a hold whose time to pay is over, once that is safe: every blockhash a payment could have been signed with is dead at a
 * finalized height, and the finalized chain shows no payment. Gives whether the hold is over with. Fails with CHAIN_DOWN,
 * and then the lot stays held.
 */
export async function releaseHold(deps: PurchaseDeps, purchase: PurchaseRow, evidence: Evidence): Promise<boolean> {
  const { database, chain } = deps
  if (purchase.releaseHeight === null) {
    // Read after `payBefore`: whatever was signed in time used a blockhash no newer than this.
    const height = (await chain.highestBlockHeight()) + BLOCKHASH_BLOCKS + RELEASE_MARGIN_BLOCKS
    await setReleaseHeight(database, purchase.id, height)
    return false
  }
  const finalized = await evidence.finalized()
  if (finalized.genesisHash !== purchase.genesisHash || finalized.height <= purchase.releaseHeight || !evidence.mayProve()) return false
  const found = await findOnFinalized(deps, purchase, finalized)
  const search = await settleFromClues(deps, purchase, found)
  if (search !== 'none') return search === 'settled'
  const ended = await inTransaction(database, (tx) => endHold(tx, purchase, endsUnpaid))
  return ended !== undefined
}

/** Every transaction on the finalized chain that could pay for this purchase. */
async function findOnFinalized({ database }: PurchaseDeps, purchase: PurchaseRow, finalized: FinalizedView) {
  const { reference, buyer, heldAtSlot } = purchase
  const [named, own, payment] = await Promise.all([
    finalized.signaturesFor(reference, heldAtSlot),
    finalized.signaturesFor(buyer, heldAtSlot),
    findRecordedPayment(database, purchase.id),
  ])
  const landed = [...named, ...own].filter((entry) => !entry.failed).map((entry) => entry.signature)
  const recorded = payment && (await finalized.statusOf(payment.signature)) ? [payment.signature] : []
  return [...new Set([...recorded, ...landed])]
}
