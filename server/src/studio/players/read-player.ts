import { type Player, type Purchase, type StudioPurchase } from '@juicebar/contract/schemas'
import { parseSignature, type Signature, requireWallet } from '@juicebar/contract/addresses'
import { type Query, type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { balancesOf, type Catalogue } from '../../catalogue/catalogue.ts'
import { type Database } from '../../database/connect.ts'
import { readBalances } from '../../inventory/ledger-store.ts'
import { blockReply } from '../../restrictions/restriction.ts'
import { findBlock } from '../../restrictions/restriction-store.ts'
import { readActivity, findPurchasesByReference, findPurchasesBySignature, readHistories } from './player-store.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import { listPurchases } from '../../purchases/reply/purchase-reply-store.ts'
import { readPurchase, replyContext } from '../../purchases/reply/read-purchases.ts'
import { timelineOf, waitingForOf } from './timeline.ts'
import { isId } from '@juicebar/contract/ids'

/**
 * What a player has and does; also works for a wallet that never signed in.
 * @throws WALLET_ADDRESS_INVALID
 */
export async function readPlayer(database: Database, address: string, catalogue: Catalogue): Promise<Player> {
  const wallet = requireWallet(address)
  const [balances, { createdAt, listed, ...activity }, block] = await Promise.all([
    readBalances(database, wallet, catalogue),
    readActivity(database, wallet),
    findBlock(database, wallet),
  ])
  return {
    walletAddress: wallet,
    createdAt: createdAt?.toISOString() ?? null,
    balances,
    listed: balancesOf(catalogue, listed),
    ...activity,
    block: block ? blockReply(block) : null,
  }
}

/**
 * A page of purchases, the newest first, each with its timeline.
 * @throws CURSOR_INVALID, WALLET_ADDRESS_INVALID, BAD_REQUEST, or CHAIN_DOWN if only the chain can tell what a transaction was for
 */
export async function readStudioPurchases(
  deps: PurchaseDeps,
  { wallet, signature, listingId, status, cursor: before, limit = LISTINGS_PAGE }: Query<'studioPurchases'>,
): Promise<Reply<'studioPurchases'>> {
  if (before !== undefined && !isId(before)) throw new Failure('CURSOR_INVALID')
  if (listingId !== undefined && !isId(listingId)) throw new Failure('BAD_REQUEST', { detail: 'listingId must be an identifier' })
  const among = signature === undefined ? undefined : await findBySignature(deps, requireSignature(signature))
  const filter = {
    wallet: wallet === undefined ? undefined : requireWallet(wallet),
    role: undefined,
    listingId,
    among,
    status,
    before,
    limit: limit + 1,
  }
  const found = await listPurchases(deps.database, filter, await replyContext(deps))
  const purchases = await withTimelines(deps, found.slice(0, limit))
  return { purchases, nextCursor: found.length > limit ? (purchases.at(-1)?.purchaseId ?? null) : null }
}

/**
 * One purchase with its timeline.
 * @throws PURCHASE_NOT_FOUND
 */
export async function readStudioPurchase(deps: PurchaseDeps, id: string): Promise<StudioPurchase> {
  if (!isId(id)) throw new Failure('PURCHASE_NOT_FOUND')
  const [purchase] = await withTimelines(deps, [await readPurchase(deps, id)])
  if (!purchase) throw new Failure('PURCHASE_NOT_FOUND')
  return purchase
}

async function withTimelines({ database }: PurchaseDeps, purchases: readonly Purchase[]): Promise<StudioPurchase[]> {
  const ids = purchases.map(({ purchaseId }) => purchaseId)
  const histories = await readHistories(database, ids)
  return purchases.flatMap((purchase) => {
    const history = histories.get(purchase.purchaseId)
    if (!history) return []
    return [{ ...purchase, timeline: timelineOf(history), waitingFor: waitingForOf(history, purchase.earlierChain) }]
  })
}

/** If the database does not know a transaction, the chain does: even a failed payment names its purchase. */
async function findBySignature({ database, chain }: PurchaseDeps, signature: Signature): Promise<string[]> {
  const known = await findPurchasesBySignature(database, signature)
  if (known.length > 0) return known
  const landed = await chain.transaction(signature)
  if (!landed) return []
  const accounts = [...landed.instructions, ...landed.innerInstructions].flatMap((instruction) => instruction.accounts)
  return findPurchasesByReference(database, [...new Set(accounts)])
}

/** @throws BAD_REQUEST */
function requireSignature(text: string): Signature {
  const signature = parseSignature(text)
  if (!signature) throw new Failure('BAD_REQUEST', { detail: 'signature must be an ed25519 signature in base58' })
  return signature
}
