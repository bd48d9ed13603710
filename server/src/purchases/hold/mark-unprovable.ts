import { type Tx } from '../../database/transact.ts'
import { emitListing, markWaitingForStudio } from '../../listings/listing-store.ts'
import { emitPurchase, lockPurchase } from '../purchase-store.ts'
import { lockListings, setUnprovable } from './hold-store.ts'

/** Records whether only the studio can end an open hold, and tells everyone who sees its listings. */
export async function markUnprovable(tx: Tx, id: string, { unprovable }: { unprovable: boolean }): Promise<void> {
  await lockListings(tx, id)
  const purchase = await lockPurchase(tx, id)
  if (purchase?.status !== 'held') return
  await setUnprovable(tx, id, { unprovable })
  for (const { listingId } of purchase.items) {
    await markWaitingForStudio(tx, listingId, { waitsForStudio: unprovable })
    await emitListing(tx, 'listing.held', listingId)
  }
  await emitPurchase(tx, id)
}
