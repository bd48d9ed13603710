import { type Database } from '../database/connect.ts'
import { isId } from './listing.ts'
import { listingPage, type ListingPage } from './listing-page.ts'
import { findListing } from './listing-store.ts'

/** The metadata in the head of a listing's page; undefined if there is no such listing. */
export async function readListingPage(database: Database, id: string): Promise<ListingPage | undefined> {
  const listing = isId(id) ? await findListing(database, id) : undefined
  return listing && listingPage(listing)
}
