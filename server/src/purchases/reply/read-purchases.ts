import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Query, type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE, SALES_PAGE } from '@juicebar/contract/limits'
import { type Purchase } from '@juicebar/contract/schemas'
import { entriesAfter, parsePlaceCursor, placeCursor, start } from '../../database/columns.ts'
import { type Database } from '../../database/connect.ts'
import { listUnmatchedFrom } from '../cases/unmatched-store.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { type ReplyContext } from './purchase-reply.ts'
import { findPurchaseReply, listPurchases } from './purchase-reply-store.ts'
import { isId } from '@juicebar/contract/ids'

/**
 * One purchase as the API returns it.
 * @throws PURCHASE_NOT_FOUND
 */
export async function readPurchase(deps: PurchaseDeps, id: string): Promise<Purchase> {
  const purchase = isId(id) ? await findPurchaseReply(deps.database, id, await replyContext(deps)) : undefined
  if (!purchase) throw new Failure('PURCHASE_NOT_FOUND')
  return purchase
}

/**
 * A page of the purchases and sales of a wallet, or of all.
 * @throws CURSOR_INVALID
 */
export async function readPurchases(
  deps: PurchaseDeps,
  { wallet, role, status, cursor: before, limit = LISTINGS_PAGE }: Query<'myPurchases'> & { wallet?: WalletAddress },
): Promise<Reply<'myPurchases'>> {
  if (before !== undefined && !isId(before)) throw new Failure('CURSOR_INVALID')
  const found = await listPurchases(deps.database, { wallet, role, status, limit: limit + 1, before }, await replyContext(deps))
  const purchases = found.slice(0, limit)
  return { purchases, nextCursor: found.length > limit ? (purchases.at(-1)?.purchaseId ?? null) : null }
}

/** The parts of replies that are not in the rows. While the chain is down, no purchase is marked as one of an earlier local chain. */
export async function replyContext({ catalogue, chain }: Pick<PurchaseDeps, 'catalogue' | 'chain'>): Promise<ReplyContext> {
  return { catalogue, genesisHash: chain.isUp() ? await chain.genesisHash() : undefined }
}

/**
 * The co-signed payments that became cases after a place in their order.
 * @throws CURSOR_INVALID, or CURSOR_EPOCH if the database has gone back behind that place
 */
export async function readUnmatched(
  database: Database,
  { after: cursor, limit = SALES_PAGE }: Query<'unmatched'>,
): Promise<Reply<'unmatched'>> {
  const after = cursor === undefined ? start : parsePlaceCursor(cursor)
  const found = entriesAfter(after, await listUnmatchedFrom(database, after, limit + 1)).slice(0, limit)
  return {
    payments: found.map(({ signature, openedAt }) => ({ signature, openedAt: openedAt.toISOString() })),
    next: placeCursor(found.at(-1) ?? after),
  }
}
