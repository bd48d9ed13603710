import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Listing } from '@juicebar/contract/schemas'

import { type Database } from '../database/connect.ts'
import { inTransaction, type Tx } from '../database/transact.ts'
import { emitBalanceChanged, postTransfer } from '../inventory/ledger-store.ts'
import { type ListingDraft } from './listing.ts'
import { emitListing, findListing, insertListing } from './listing-store.ts'

/**
 * Puts tokens up for sale: they leave the seller's balance and stay in escrow, in the listing.
 * @throws INSUFFICIENT_TOKENS
 */
export async function createListing(database: Database, seller: WalletAddress, draft: ListingDraft): Promise<Listing> {
  return inTransaction(database, (tx) => createListingIn(tx, seller, draft))
}

/** `createListing` as part of a larger transaction. */
export async function createListingIn(tx: Tx, seller: WalletAddress, draft: ListingDraft): Promise<Listing> {
  const listingId = await insertListing(tx, seller, draft)
  await postTransfer(tx, { kind: 'escrow', tokenType: draft.tokenType, amount: draft.amount, wallet: seller, listingId })
  await emitListing(tx, 'listing.created', listingId)
  await emitBalanceChanged(tx, seller)
  const listing = await findListing(tx, listingId)
  if (!listing) throw new Error('a new listing is missing in its own transaction')
  return listing
}
