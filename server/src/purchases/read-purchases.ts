import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Query, type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Purchase } from '@juicebar/contract/schemas'

import { type Chain } from '../chain/chain.ts'
import { isId } from '../listings/listing.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { findPurchaseReply, listPurchases } from './purchase-reply-store.ts'

/**
 * One purchase as the API returns it.
 * @throws PURCHASE_NOT_FOUND
 */
export async function readPurchase({ database, chain }: PurchaseDeps, id: string): Promise<Purchase> {
  const purchase = await findPurchaseReply(database, id, await knownGenesis(chain))
  if (!purchase) throw new Failure('PURCHASE_NOT_FOUND')
  return purchase
}

/**
 * A page of the purchases and sales of a wallet, or of all.
 * @throws CURSOR_INVALID
 */
export async function readPurchases(
  { database, chain }: PurchaseDeps,
  { wallet, role, status, cursor: before, limit = LISTINGS_PAGE }: Query<'myPurchases'> & { wallet?: WalletAddress },
): Promise<Reply<'myPurchases'>> {
  if (before !== undefined && !isId(before)) throw new Failure('CURSOR_INVALID')
  const found = await listPurchases(database, { wallet, role, status, limit: limit + 1, before }, await knownGenesis(chain))
  const purchases = found.slice(0, limit)
  return { purchases, nextCursor: found.length > limit ? (purchases.at(-1)?.purchaseId ?? null) : null }
}

/** The chain's identity, to mark purchases of an earlier local chain; while the chain is down none is marked. */
export async function knownGenesis(chain: Chain): Promise<string | undefined> {
  return chain.isUp() ? chain.genesisHash() : undefined
}
