import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { type Tx } from '../database/transact.ts'
import { restrictionDetail } from './restriction.ts'
import { checkOfferRestriction, countListings, type Offer } from './restriction-store.ts'

/**
 * Whether a wallet may list an offer now, in the transaction that lists it and before anything else there.
 *
 * @returns a function to call once the listing is written and the seller's balance locked, when no other call can list the drink for the
 * seller
 * @throws PAUSED, BLOCKED or RULE_BROKEN; the returned function may throw them, too
 */
export async function checkOffer(tx: Tx, seller: WalletAddress, offer: Offer): Promise<() => Promise<void>> {
  const { tokenType } = offer
  const { refusal, restriction, maxListings, tokenName } = await checkOfferRestriction(tx, seller, offer)
  if (refusal !== null && restriction !== null) throw new Failure(refusal, { detail: restrictionDetail(restriction, () => tokenName) })
  return async () => {
    if (maxListings === null) return
    const listings = await countListings(tx, { seller, tokenType, most: maxListings + 1 })
    if (listings <= maxListings) return
    const broken = { rule: 'maxListingsPerWallet', tokenType, limit: String(maxListings) } as const
    throw new Failure('RULE_BROKEN', { detail: restrictionDetail(broken, () => tokenName) })
  }
}
