import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { isId } from '@juicebar/contract/ids'
import { type Lamports } from '@juicebar/contract/money'
import { type Listing } from '@juicebar/contract/schemas'
import { type Database } from '../database/connect.ts'
import { inTransaction, type Tx } from '../database/transact.ts'
import { checkPriceChange } from '../restrictions/check-restrictions.ts'
import { changesPrice, type KeyedListing } from './listing.ts'
import { findKeyedListing, findListing, findOwner, insertListingKey, lockListing, readPricedListing, updatePrice } from './listing-store.ts'

/** A seller's new price for all that is left of a listing. */
export interface PriceChange {
  seller: WalletAddress
  listingId: string
  price: Lamports
  /** The seller's own name for this change. */
  idempotencyKey?: string | undefined
}

/**
 * Changes the price of all that is left of a seller's own listing. Parts that buyers hold keep theirs, and take the new one if they come
 * back. If the listing has this price already, or this seller has used the idempotency key for the same change before, nothing changes.
 *
 * @returns the listing as it is now
 * @throws LISTING_NOT_FOUND, NOT_YOUR_LISTING; PAUSED, BLOCKED, RULE_BROKEN; the codes of `changesPrice`; IDEMPOTENCY_KEY_REUSED if the key
 * belongs to another call
 */
export async function changePrice(database: Database, change: PriceChange): Promise<Listing> {
  if (!isId(change.listingId)) throw new Failure('LISTING_NOT_FOUND')
  const known = await findKnown(database, change)
  if (known) return requireSame(known, change)
  try {
    return await changeUnkeyed(database, change)
  } catch (error) {
    // The same call may have been carried out concurrently, or by this one before its connection was lost.
    const done = await findKnown(database, change)
    if (!done) throw error
    return requireSame(done, change)
  }
}

async function findKnown(database: Database, { seller, idempotencyKey }: PriceChange): Promise<KeyedListing | undefined> {
  return idempotencyKey === undefined ? undefined : findKeyedListing(database, seller, idempotencyKey)
}

function requireSame({ listing, changedLamports }: KeyedListing, { listingId, price }: PriceChange): Listing {
  if (listing._id !== listingId || changedLamports !== price) throw new Failure('IDEMPOTENCY_KEY_REUSED')
  return listing
}

async function changeUnkeyed(database: Database, { seller, listingId, price, idempotencyKey }: PriceChange): Promise<Listing> {
  const owner = await findOwner(database, listingId)
  if (!owner) throw new Failure('LISTING_NOT_FOUND')
  if (owner.seller !== seller) throw new Failure('NOT_YOUR_LISTING')
  return inTransaction(database, async (tx) => {
    const checkRules = await checkPriceChange(tx, seller, owner.tokenType)
    await changeIn(tx, { listingId, price, checkRules })
    // Also if it had this price already: asked for again, this call must not undo what another one has changed since.
    if (idempotencyKey !== undefined) await insertListingKey(tx, { seller, idempotencyKey, listingId, changedLamports: price })
    const listing = await findListing(tx, listingId)
    if (!listing) throw new Error('a priced listing is missing in its own transaction')
    return listing
  })
}

interface CheckedChange extends Pick<PriceChange, 'listingId' | 'price'> {
  checkRules: Awaited<ReturnType<typeof checkPriceChange>>
}

async function changeIn(tx: Tx, { listingId, price, checkRules }: CheckedChange): Promise<void> {
  await lockListing(tx, listingId)
  const listing = await readPricedListing(tx, listingId)
  if (!listing) throw new Error('a listing is missing under its lock')
  if (!changesPrice(listing, price)) return
  checkRules({ tokenType: listing.tokenType, amount: listing.amount, priceLamports: price })
  await updatePrice(tx, listingId, price)
}
