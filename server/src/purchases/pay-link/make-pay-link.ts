import { Failure } from '@juicebar/contract/errors'
import { type PayLink } from '@juicebar/contract/schemas'

import { isId } from '../../listings/listing.ts'
import { holdFailure } from '../hold/hold.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { hashOfToken, newToken, type PayLinkMaker, payLinkUrl } from './pay-link.ts'
import { insertPayLink } from './pay-link-store.ts'

/**
 * Makes a link through which one wallet on a phone can buy a listing.
 *
 * @param publicOrigin the https address at which phones reach this market; undefined if they cannot
 * @throws PUBLIC_ORIGIN_NEEDED, PAUSED, BLOCKED, LISTING_NOT_FOUND, LISTING_NOT_ACTIVE, LISTING_HELD, LISTING_FROZEN, COOLDOWN,
 * PAY_LINK_LIMIT
 */
export async function makePayLink(
  { database, settings, catalogue }: Pick<PurchaseDeps, 'database' | 'settings' | 'catalogue'>,
  publicOrigin: string | undefined,
  listingId: string,
  maker: PayLinkMaker,
): Promise<PayLink> {
  if (publicOrigin === undefined) throw new Failure('PUBLIC_ORIGIN_NEEDED')
  if (!isId(listingId)) throw new Failure('LISTING_NOT_FOUND')
  const token = newToken()
  const outcome = await insertPayLink(database, { listingId, tokenHash: hashOfToken(token), maker, fee: settings.fee })
  if ('refusal' in outcome) throw holdFailure(outcome.refusal, catalogue)
  const { id, amount, mostLamports, expiresAt, millisLeft } = outcome.made
  const url = payLinkUrl(publicOrigin, token)
  return { id, url, amount: Number(amount), lamports: mostLamports.toString(), expiresAt: expiresAt.toISOString(), millisLeft }
}
