import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MAX_REMOVED_LISTINGS } from '@juicebar/contract/limits'
import { type Listing, type RemovedListings } from '@juicebar/contract/schemas'
import { type Database } from '../database/connect.ts'
import { inTransaction, type Tx } from '../database/transact.ts'
import { chunks } from '../runtime/request-batch.ts'
import { emitBalanceChanged, postTransfer } from '../inventory/ledger-store.ts'
import { checkOffer } from '../restrictions/check-restrictions.ts'
import { isOfDraft, type KeyedListing, type ListingDraft, listingPage, type ListingPage } from './listing.ts'
import {
  findKeyedListing,
  insertListingKey,
  emitListing,
  findListing,
  insertListing,
  listActiveIds,
  lockListing,
  markRemoved,
  removeFreeListings,
} from './listing-store.ts'
import { isFrozen } from '../restrictions/restriction-store.ts'
import { isId } from '@juicebar/contract/ids'

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
    const created = await findKeyedListing(database, seller, idempotencyKey)
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

/** So many are locked at the same time, for some tens of milliseconds. */
const REMOVED_TOGETHER = 100

/**
 * Takes a seller's listings off the market that nobody is buying, at most `MAX_REMOVED_LISTINGS`, the oldest first. Each batch is a
 * transaction: if one fails, those before it stay removed, and the call can be repeated.
 */
export async function removeListings(database: Database, seller: WalletAddress): Promise<RemovedListings> {
  const ids = await listActiveIds(database, seller, MAX_REMOVED_LISTINGS)
  const outcome: RemovedListings = { removed: 0, kept: [] }
  for (const batch of chunks(ids, REMOVED_TOGETHER)) {
    const { removed, kept } = await inTransaction(database, (tx) => removeFreeListings(tx, seller, batch))
    outcome.removed += removed
    outcome.kept.push(...kept)
  }
  return outcome
}

/** The metadata in the head of a listing's page; undefined if there is no such listing. */
export async function readListingPage(database: Database, id: string): Promise<ListingPage | undefined> {
  const listing = isId(id) ? await findListing(database, id) : undefined
  return listing && listingPage(listing)
}
