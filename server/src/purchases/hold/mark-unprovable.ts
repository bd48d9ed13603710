import { type Tx } from '../../database/transact.ts'
import { emitListing, lockListing, markWaitingForStudio } from '../../listings/listing-store.ts'
import { emitPurchase, lockPurchase } from '../purchase-store.ts'
import { setUnprovable } from './hold-store.ts'

/** Records whether only the studio can end an open hold, and tells everyone who sees its listing. */
export async function markUnprovable(
  tx: Tx,
  { id, listingId }: { id: string; listingId: string },
  { unprovable }: { unprovable: boolean },
): Promise<void> {
  await lockListing(tx, listingId)
  const purchase = await lockPurchase(tx, id)
  if (purchase?.status !== 'held') return
  await setUnprovable(tx, id, { unprovable })
  await markWaitingForStudio(tx, listingId, { waitsForStudio: unprovable })
  await emitListing(tx, 'listing.held', listingId)
  await emitPurchase(tx, id)
}
