import { type ApiClient } from '../players/api-client.ts'
import { inParallel } from './chain-record.ts'
import { type Trader } from '../players/player.ts'

/** What the product tells each player of the run, each with the player's own eyes. */
export interface ProductRecord {
  purchases: Map<string, PurchaseSeen>
  cases: Map<string, CaseSeen>
  listings: Map<string, ListingSeen>
  /** Tokens in each wallet, `wallet token` as the key. */
  balances: Map<string, number>
  /** Who sees which purchase and case. */
  seenBy: Map<string, Set<string>>
}

export interface PurchaseSeen {
  purchaseId: string
  listingId: string
  buyer: string
  seller: string
  tokenType: string
  amount: number
  lamports: string
  status: 'held' | 'settled' | 'ended'
  endReason: string | null
  signature: string | null
  settledAt: string | null
}

export interface CaseSeen {
  caseId: string
  kind: string
  status: string
  purchaseId: string
  buyer: string
  seller: string
  lamports: string
  signature: string
  refundSignature: string | null
}

export interface ListingSeen {
  _id: string
  seller: string
  tokenType: string
  amount: number
  status: 'active' | 'sold' | 'removed'
}

const balanceFields = { appleJuice: 'APPLE_JUICE', orangeJuice: 'ORANGE_JUICE', grapeSoda: 'GRAPE_SODA' }

export async function readProduct(traders: readonly Trader[]): Promise<ProductRecord> {
  const record: ProductRecord = { purchases: new Map(), cases: new Map(), listings: new Map(), balances: new Map(), seenBy: new Map() }
  await inParallel(traders, (trader) => readTrader(record, trader))
  return record
}

async function readTrader(record: ProductRecord, { api, wallet: { address } }: Trader): Promise<void> {
  const see = (id: string) => record.seenBy.set(id, (record.seenBy.get(id) ?? new Set()).add(address))
  for (const purchase of await readAll<PurchaseSeen>(api, 'my-purchases', 'purchases')) {
    record.purchases.set(purchase.purchaseId, purchase)
    see(purchase.purchaseId)
  }
  for (const found of await readAll<CaseSeen>(api, 'cases', 'cases')) {
    record.cases.set(found.caseId, found)
    see(found.caseId)
  }
  for (const listing of await read<ListingSeen[]>(api, '/api/marketplace/my-listings?status=all', 'listings'))
    record.listings.set(listing._id, listing)
  const balances = await read<Record<string, number>>(api, `/api/tokens/balance/${address}`, 'balances')
  for (const [field, token] of Object.entries(balanceFields)) record.balances.set(`${address} ${token}`, balances[field] ?? 0)
}

/** All pages of a list. */
async function readAll<T>(api: ApiClient, list: string, field: string): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const path: string = `/api/marketplace/${list}?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`
    const answer = await api.insist({ method: 'GET', path })
    if (answer?.status !== 200) throw new Error(`${path} was answered with ${JSON.stringify(answer)}`)
    all.push(...(answer.body[field] as T[]))
    cursor = answer.body['nextCursor'] as string | null
  } while (cursor !== null)
  return all
}

async function read<T>(api: ApiClient, path: string, field: string): Promise<T> {
  const answer = await api.insist({ method: 'GET', path })
  if (answer?.status !== 200) throw new Error(`${path} was answered with ${JSON.stringify(answer)}`)
  return answer.body[field] as T
}
