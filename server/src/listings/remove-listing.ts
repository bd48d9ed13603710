import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Listing } from '@juicebar/contract/schemas'

import { type Database } from '../database/connect.ts'
import { inTransaction } from '../database/transact.ts'
import { emitBalanceChanged } from '../inventory/balance-events.ts'
import { postTransfer } from '../inventory/ledger-store.ts'
import { isId } from './listing.ts'
import { emitListing, findListing, lockListing, markRemoved } from './listing-store.ts'

/**
 * Takes the seller's own lot off the market and gives the tokens back. Fails with LISTING_NOT_FOUND, NOT_YOUR_LISTING,
 * LISTING_NOT_ACTIVE, or LISTING_HELD_BY_BUYER while somebody may be paying for it.
 */
export async function removeListing(database: Database, seller: WalletAddress, id: string): Promise<Listing> {
  if (!isId(id)) throw new Failure('LISTING_NOT_FOUND')
  return inTransaction(database, async (tx) => {
    const lot = await lockListing(tx, id)
    if (!lot) throw new Failure('LISTING_NOT_FOUND')
    if (lot.seller !== seller) throw new Failure('NOT_YOUR_LISTING')
    if (lot.status !== 'active') throw new Failure('LISTING_NOT_ACTIVE')
    if (lot.heldBy !== null) throw new Failure('LISTING_HELD_BY_BUYER')
    await markRemoved(tx, id)
    await postTransfer(tx, { kind: 'return', tokenType: lot.tokenType, amount: Number(lot.amount), wallet: seller, listingId: id })
    await emitListing(tx, 'listing.removed', id)
    await emitBalanceChanged(tx, seller)
    const listing = await findListing(tx, id)
    if (!listing) throw new Failure('LISTING_NOT_FOUND')
    return listing
  })
}
