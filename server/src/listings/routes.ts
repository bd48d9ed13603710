import { Failure } from '@juicebar/contract/errors'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { type Api } from '../http/route.ts'
import { createListing, removeListing, removeListings } from './change-listings.ts'
import { changePrice } from './change-price.ts'
import { draftListing, requirePrice } from './listing.ts'
import { findListing, listOwnListings } from './listing-store.ts'
import { isId } from '@juicebar/contract/ids'

/** A single listing, and what a seller does with listings. Browsing the market is in `market/`. */
export function listingRoutes(api: Api, database: Database, catalogue: Catalogue): void {
  api.open('listing', 'read', async ({ params }) => {
    const listing = isId(params.id) ? await findListing(database, params.id) : undefined
    if (!listing) throw new Failure('LISTING_NOT_FOUND')
    return { listing }
  })

  api.player('createListing', 'write', async ({ body, headers, player }) => ({
    listing: await createListing(database, player, draftListing(body, catalogue), { idempotencyKey: headers['idempotency-key'] }),
  }))

  api.player('changePrice', 'write', async ({ params, body, headers, player }) => {
    const change = { seller: player, listingId: params.id, price: requirePrice(body.price), idempotencyKey: headers['idempotency-key'] }
    return { listing: await changePrice(database, change) }
  })

  api.player('removeListings', 'write', async ({ player }) => removeListings(database, player))

  api.player('removeListing', 'write', async ({ params, player }) => ({
    listing: await removeListing(database, player, params.id),
  }))

  api.player('myListings', 'read', async ({ query, player }) => ({
    listings: await listOwnListings(database, player, query.status ?? 'active'),
  }))
}
