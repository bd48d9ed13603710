import { type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { Failure } from '@juicebar/contract/errors'
import { type OwnBlock, type PublicConfig } from '@juicebar/contract/schemas'
import { type Tx } from '../database/transact.ts'
import {
  type Restriction,
  type RestrictionCode,
  type TokenRule,
  restrictionDetail,
  brokenPriceRule,
  blockReply,
  signInRefusal,
} from './restriction.ts'
import { countListings, lockOfferFacts, findBlock, hasOpenBusiness, findPause } from './restriction-store.ts'
import { type Database } from '../database/connect.ts'

/** What a seller asks for an amount of an item. */
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
  const { tokenType } = offer
  const { rule, refuse } = await requireUnrestricted(tx, seller, tokenType)
  requirePriceRule(offer, { rule, refuse })
  const most = rule?.maxListings ?? null
  return async () => {
    if (most === null) return
    const listings = await countListings(tx, { seller, tokenType, most: most + 1 })
    if (listings > most) throw refuse('RULE_BROKEN', { rule: 'maxListingsPerWallet', tokenType, limit: String(most) })
  }
}

/**
 * Whether a wallet may change a price now, in the transaction that does and before anything else there.
 *
 * @returns a function to call with the new offer once the listing is locked; it throws RULE_BROKEN
 * @throws PAUSED or BLOCKED
 */
export async function checkPriceChange(tx: Tx, seller: WalletAddress, tokenType: TokenType): Promise<(offer: Offer) => void> {
  const rules = await requireUnrestricted(tx, seller, tokenType)
  return (offer) => requirePriceRule(offer, rules)
}

interface SellerRules {
  rule: TokenRule | undefined
  refuse: (code: RestrictionCode, why: Restriction) => Failure
}

async function requireUnrestricted(tx: Tx, seller: WalletAddress, tokenType: TokenType): Promise<SellerRules> {
  const { refusal, restriction, rule, tokenName } = await lockOfferFacts(tx, seller, tokenType)
  const refuse = (code: RestrictionCode, why: Restriction) => new Failure(code, { detail: restrictionDetail(why, () => tokenName) })
  if (refusal !== null && restriction !== null) throw refuse(refusal, restriction)
  return { rule, refuse }
}

function requirePriceRule({ tokenType, amount, priceLamports: lamports }: Offer, { rule, refuse }: SellerRules): void {
  const broken = brokenPriceRule(rule, { tokenType, amount, lamports })
  if (broken) throw refuse('RULE_BROKEN', broken)
}

/**
 * Lets a blocked wallet sign in only while it has a listing, an open purchase or an open case.
 * @throws BLOCKED
 */
export async function checkSignIn(database: Database, wallet: WalletAddress): Promise<void> {
  const block = await findBlock(database, wallet)
  if (block && !(await hasOpenBusiness(database, wallet))) throw signInRefusal(blockReply(block))
}

/**
 * For what is neither reading, nor removing, nor finishing what was begun.
 * @throws BLOCKED
 */
export async function requireUnblocked(database: Database, wallet: WalletAddress): Promise<void> {
  const block = await findBlock(database, wallet)
  if (block) throw new Failure('BLOCKED', { detail: restrictionDetail(blockReply(block), String) })
}

/** The part of a wallet's block that its player may see. */
export async function readOwnBlock(database: Database, wallet: WalletAddress): Promise<OwnBlock | undefined> {
  const block = await findBlock(database, wallet)
  if (!block) return undefined
  const { reason, until } = blockReply(block)
  return { reason, until }
}

/** The market's settings wait no longer than this for a database that may be down. */
const PATIENCE_MILLIS = 500

/** @returns a function that reads the public pause, or returns its last known state if the database does not answer in time */
export function createPauseReader(database: Database): () => Promise<PublicConfig['pause']> {
  let known: PublicConfig['pause'] = null
  const read = async () => {
    const pause = await findPause(database)
    known = pause ? { message: pause.message, since: pause.since.toISOString() } : null
  }
  return async () => {
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MILLIS)))
    // An outage is reported elsewhere.
    await Promise.race([read().catch(() => undefined), patience])
    clearTimeout(timer)
    return known
  }
}
