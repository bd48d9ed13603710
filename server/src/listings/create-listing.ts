import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Listing } from '@juicebar/contract/schemas'

import { type Database } from '../database/connect.ts'
import { inTransaction, type Tx } from '../database/transact.ts'
import { emitBalanceChanged, postTransfer } from '../inventory/ledger-store.ts'
import { checkOffer } from '../restrictions/check-offer.ts'
import { isOfDraft, type ListingDraft } from './listing.ts'
import { findKeyedListing, insertListingKey, type KeyedListing } from './listing-key-store.ts'
import { emitListing, findListing, insertListing } from './listing-store.ts'

interface CreateOptions {
  /** The seller's own name for this listing. */
  idempotencyKey?: string | undefined
}

/**
 * Puts tokens up for sale: they leave the seller's balance and stay in escrow, in the listing. If this seller has used the idempotency key
 * before, nothing moves, and the listing created with it is returned in its current state.
 * @throws PAUSED, BLOCKED, RULE_BROKEN; INSUFFICIENT_TOKENS; IDEMPOTENCY_KEY_REUSED if the key belongs to another offer
 */
export async function createListing(
  database: Database,
  seller: WalletAddress,
  draft: ListingDraft,
  { idempotencyKey }: CreateOptions = {},
): Promise<Listing> {
  if (idempotencyKey === undefined) return inTransaction(database, (tx) => createAllowed(tx, seller, draft))
  const known = await findKeyedListing(database, seller, idempotencyKey)
  if (known) return requireSame(known, draft)
  try {
    return await inTransaction(database, async (tx) => {
      const listing = await createAllowed(tx, seller, draft)
      await insertListingKey(tx, { seller, idempotencyKey, listingId: listing._id })
      return listing
    })
  } catch (error) {
    // The same call may have been carried out concurrently, taking the key or the tokens, or by this one before its connection was lost.
    const created = await findKeyedListing(database, seller, idempotencyKey).catch(() => undefined)
    if (!created) throw error
    return requireSame(created, draft)
  }
}

function requireSame(known: KeyedListing, draft: ListingDraft): Listing {
  if (!isOfDraft(known, draft)) throw new Failure('IDEMPOTENCY_KEY_REUSED')
  return known.listing
}

async function createAllowed(tx: Tx, seller: WalletAddress, draft: ListingDraft): Promise<Listing> {
  const checkCount = await checkOffer(tx, seller, draft)
  const listing = await createListingIn(tx, seller, draft)
  await checkCount()
  return listing
}

/** `createListing` as part of a larger transaction, ignoring the studio's restrictions. */
export async function createListingIn(tx: Tx, seller: WalletAddress, draft: ListingDraft): Promise<Listing> {
  const listingId = await insertListing(tx, seller, draft)
  await postTransfer(tx, { kind: 'escrow', tokenType: draft.tokenType, amount: draft.amount, wallet: seller, listingId })
  await emitListing(tx, 'listing.created', listingId)
  await emitBalanceChanged(tx, seller)
  const listing = await findListing(tx, listingId)
  if (!listing) throw new Error('a new listing is missing in its own transaction')
  return listing
}
