import { type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { Failure } from '@juicebar/contract/errors'

import { type Tx } from '../database/transact.ts'
import { type Restriction, type RestrictionCode, restrictionDetail } from './restriction.ts'
import { countListings, lockOfferFacts } from './restriction-store.ts'
import { brokenPriceRule } from './rule.ts'

/** What a seller is about to list. */
interface Offer {
  tokenType: TokenType
  amount: number
  priceLamports: bigint
}

/**
 * Whether a wallet may list an offer now, in the transaction that lists it and before anything else there.
 *
 * @returns a function to call once the listing is written and the seller's balance locked, when no other call can list the drink for the
 * seller
 * @throws PAUSED, BLOCKED or RULE_BROKEN; the returned function may throw them, too
 */
export async function checkOffer(tx: Tx, seller: WalletAddress, offer: Offer): Promise<() => Promise<void>> {
  const { tokenType, amount, priceLamports } = offer
  const { refusal, restriction, rule, tokenName } = await lockOfferFacts(tx, seller, tokenType)
  const refuse = (code: RestrictionCode, why: Restriction) => new Failure(code, { detail: restrictionDetail(why, () => tokenName) })
  if (refusal !== null && restriction !== null) throw refuse(refusal, restriction)
  const broken = brokenPriceRule(rule, { tokenType, amount, lamports: priceLamports })
  if (broken) throw refuse('RULE_BROKEN', broken)
  const most = rule?.maxListings ?? null
  return async () => {
    if (most === null) return
    const listings = await countListings(tx, { seller, tokenType, most: most + 1 })
    if (listings > most) throw refuse('RULE_BROKEN', { rule: 'maxListingsPerWallet', tokenType, limit: String(most) })
  }
}
