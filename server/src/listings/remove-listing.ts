import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Listing } from '@juicebar/contract/schemas'

import { type Database } from '../database/connect.ts'
import { inTransaction } from '../database/transact.ts'
import { emitBalanceChanged, postTransfer } from '../inventory/ledger-store.ts'
import { isFrozen } from '../restrictions/restriction-store.ts'
import { isId } from './listing.ts'
import { emitListing, findListing, lockListing, markRemoved } from './listing-store.ts'

/**
 * Takes a seller's own listing off the market and returns its tokens to the seller.
 * @throws LISTING_NOT_FOUND, NOT_YOUR_LISTING, LISTING_NOT_ACTIVE; LISTING_HELD_BY_BUYER while a buyer may be paying for it;
 * LISTING_FROZEN while a lost payment to the seller is open
 */
export async function removeListing(database: Database, seller: WalletAddress, id: string): Promise<Listing> {
  if (!isId(id)) throw new Failure('LISTING_NOT_FOUND')
  return inTransaction(database, async (tx) => {
    const row = await lockListing(tx, id)
    if (!row) throw new Failure('LISTING_NOT_FOUND')
    if (row.seller !== seller) throw new Failure('NOT_YOUR_LISTING')
    if (row.status !== 'active' && row.status !== 'reserved') throw new Failure('LISTING_NOT_ACTIVE')
    if (row.heldBy !== null) throw new Failure('LISTING_HELD_BY_BUYER')
    if (await isFrozen(tx, seller)) throw new Failure('LISTING_FROZEN')
    await markRemoved(tx, id)
    await postTransfer(tx, { kind: 'return', tokenType: row.tokenType, amount: Number(row.amount), wallet: seller, listingId: id })
    await emitListing(tx, 'listing.removed', id)
    await emitBalanceChanged(tx, seller)
    const listing = await findListing(tx, id)
    if (!listing) throw new Error('a removed listing is missing in its own transaction')
    return listing
  })
}
