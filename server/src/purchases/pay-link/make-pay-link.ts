import { Failure } from '@juicebar/contract/errors'
import { type PayLink } from '@juicebar/contract/schemas'

import { inTransaction, type Tx } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { feeOf } from '../fee.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { readFacts } from '../reservation/facts-store.ts'
import { refusalFailure } from '../reservation/refusal.ts'
import { type ListingFacts } from '../reservation/reservation.ts'
import { whyNotForSale } from '../reservation/reservation-decision.ts'
import { hashOfToken, newToken, type PayLinkMaker, payLinkUrl } from './pay-link.ts'
import { insertPayLink, lockLinkRoom } from './pay-link-store.ts'

type MakeDeps = Pick<PurchaseDeps, 'catalogue'>

/**
 * Makes a link through which one wallet on a phone can buy a listing.
 *
 * @param publicOrigin the https address at which phones reach this market; undefined if they cannot
 * @throws WALLET_SENDS_OFF, PUBLIC_ORIGIN_NEEDED, PAUSED, BLOCKED, LISTING_NOT_FOUND, LISTING_NOT_ACTIVE, LISTING_HELD, LISTING_FROZEN, COOLDOWN,
 * PAY_LINK_LIMIT
 */
export async function makePayLink(
  deps: MakeDeps & Pick<PurchaseDeps, 'database' | 'settings'>,
  publicOrigin: string | undefined,
  listingId: string,
  maker: PayLinkMaker,
): Promise<PayLink> {
  const { database, settings, catalogue } = deps
  if (settings.walletSends === 'off') throw new Failure('WALLET_SENDS_OFF')
  if (publicOrigin === undefined) throw new Failure('PUBLIC_ORIGIN_NEEDED')
  if (!isId(listingId)) throw new Failure('LISTING_NOT_FOUND')
  const token = newToken()
  const { listing, made, mostLamports } = await inTransaction(database, async (tx) => {
    const listing = await requireForSale(tx, deps, listingId, maker)
    const refusal = await lockLinkRoom(tx, listing.id, maker)
    if (refusal) throw refusalFailure(refusal, catalogue)
    const mostLamports = listing.lamports + feeOf([listing], settings.fee, undefined)
    const made = await insertPayLink(tx, {
      listingId: listing.id,
      amount: listing.amount,
      mostLamports,
      tokenHash: hashOfToken(token),
      maker,
    })
    return { listing, made, mostLamports }
  })
  const { id, expiresAt, millisLeft } = made
  const url = payLinkUrl(publicOrigin, token)
  return { id, url, amount: listing.amount, lamports: mostLamports.toString(), expiresAt: expiresAt.toISOString(), millisLeft }
}

/** The listing, or the one that it was merged into, which somebody may buy whole. */
async function requireForSale(tx: Tx, deps: MakeDeps, listingId: string, maker: PayLinkMaker): Promise<ListingFacts> {
  const facts = await readFacts(tx, maker.wallet, [listingId])
  const listing = facts.listings.get(listingId)
  if (listing?.status === 'merged' && listing.partOf !== null) return requireForSale(tx, deps, listing.partOf, maker)
  const code = whyNotForSale(listing, undefined, undefined)
  const refusal = facts.restriction ?? (code && { code })
  if (refusal) throw refusalFailure(refusal, deps.catalogue)
  if (!listing) throw new Failure('LISTING_NOT_FOUND')
  return listing
}
