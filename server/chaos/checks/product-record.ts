import { balanceKey } from '@juicebar/contract/catalogue'

import { tokens } from '../catalogue.ts'
import { inParallel } from '../in-parallel.ts'
import { type Player } from '../players/player.ts'
import { readAll, readField } from './read-product-api.ts'

/** What the product's API shows to the players of the run. */
export interface ProductRecord {
  purchases: Map<string, PurchaseSeen>
  cases: Map<string, CaseSeen>
  listings: Map<string, ListingSeen>
  /** Each wallet's tokens; the key is `wallet token`. */
  balances: Map<string, number>
  /** The wallets that each purchase and case is shown to. */
  seenBy: Map<string, Set<string>>
}

export interface PurchaseSeen {
  purchaseId: string
  buyer: string
  items: { listingId: string; partOf: string | null; seller: string; tokenType: string; amount: number; lamports: string }[]
  fee: { lamports: string }
  status: 'held' | 'settled' | 'ended'
  endReason: string | null
  signature: string | null
  /** Whether only the market could send its payment. */
  coSigned: boolean
  createdAt: string
  settledAt: string | null
}

export interface CaseSeen {
  caseId: string
  kind: string
  status: string
  purchaseId: string
  buyer: string
  /** Null if only the fee wallet was paid. */
  seller: string | null
  lamports: string
  fee: { lamports: string } | null
  signature: string
  refundSignature: string | null
}

export interface ListingSeen {
  _id: string
  seller: string
  tokenType: string
  amount: number
  status: 'active' | 'sold' | 'removed'
  /** The listing that it was split from. */
  partOf?: string
  createdAt: string
}

/** What a purchase says that its buyer pays: one transfer to each seller, and the fee. */
export function agreedTransfers({ buyer, items, fee }: PurchaseSeen, feeWallet: string) {
  const received = new Map<string, bigint>()
  for (const { seller, lamports } of items) received.set(seller, (received.get(seller) ?? 0n) + BigInt(lamports))
  if (fee.lamports !== '0') received.set(feeWallet, BigInt(fee.lamports))
  return [...received].map(([to, lamports]) => ({ from: buyer, to, lamports }))
}

/** Reads everything that each player can see, signed in as that player. */
export async function readProduct(players: readonly Player[]): Promise<ProductRecord> {
  const record: ProductRecord = { purchases: new Map(), cases: new Map(), listings: new Map(), balances: new Map(), seenBy: new Map() }
  await inParallel(players, (player) => readAsPlayer(record, player))
  return record
}

async function readAsPlayer(record: ProductRecord, { api, wallet: { address } }: Player): Promise<void> {
  const see = (id: string) => record.seenBy.set(id, (record.seenBy.get(id) ?? new Set()).add(address))
  for (const purchase of await readAll<PurchaseSeen>(api, 'my-purchases', 'purchases')) {
    record.purchases.set(purchase.purchaseId, purchase)
    see(purchase.purchaseId)
  }
  for (const openedCase of await readAll<CaseSeen>(api, 'cases', 'cases')) {
    record.cases.set(openedCase.caseId, openedCase)
    see(openedCase.caseId)
  }
  for (const listing of await readField<ListingSeen[]>(api, '/api/marketplace/my-listings?status=all', 'listings'))
    record.listings.set(listing._id, listing)
  const balances = await readField<Record<string, number>>(api, `/api/tokens/balance/${address}`, 'balances')
  for (const token of tokens) record.balances.set(`${address} ${token}`, balances[balanceKey(token)] ?? 0)
}
