import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Sale } from '@juicebar/contract/schemas'
import { afterAll, beforeAll } from 'vitest'
import { type FeeTerms } from '../../../src/purchases/purchase/purchase.ts'
import { type OrderedItem } from '../../../src/purchases/reservation/order.ts'
import { readSales } from '../../../src/studio/sales/read-sales.ts'
import {
  addPlayer,
  holdInStore,
  noFee,
  offer,
  openStoreMarket,
  settleInStore,
  type StoreMarket,
} from '../../purchases/baskets/store-market.ts'

interface Players {
  sellers?: number
  buyers?: number
  /** So many of each drink, each of them. */
  tokens?: number
}

/** A market without a chain, with those who trade there. Whoever opens it closes it. */
export async function openSaleMarket({ sellers: sellerCount = 1, buyers: buyerCount = 1, tokens }: Players = {}) {
  const market = await openStoreMarket()
  const addPlayers = (count: number) => Promise.all(Array.from({ length: count }, () => addPlayer(market, tokens)))
  const [sellers, buyers] = [await addPlayers(sellerCount), await addPlayers(buyerCount)]
  const [seller, buyer] = [sellers[0]!, buyers[0]!]
  return {
    ...market,
    sellers,
    buyers,
    seller,
    buyer,
    query: (text: string, values: unknown[] = []) => market.connection.pool.query(text, values),
    /** What the seller lists, and the buyer buys. Returns the purchase's identifier. */
    trade: async (given?: Parameters<typeof offer>[2]) =>
      settledPurchase(market, buyer, [{ listingId: await offer(market, seller, given) }]),
  }
}

type SaleMarket = Awaited<ReturnType<typeof openSaleMarket>>

/** The same for a test file, from its first test to its last. */
export function useSaleMarket(players?: Players): SaleMarket {
  const market = {} as SaleMarket
  beforeAll(async () => void Object.assign(market, await openSaleMarket(players)))
  afterAll(() => market.close())
  return market
}

/** Holds these items, for a checkout if one is named. Returns the purchase's identifier. */
export async function heldPurchase(
  market: StoreMarket,
  buyer: WalletAddress,
  items: readonly OrderedItem[],
  { fee = noFee, checkout }: { fee?: FeeTerms; checkout?: string | undefined } = {},
) {
  const outcome = await holdInStore(market, { buyer, items, paysTransfers: true, checkout }, fee)
  if (outcome.kind !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`)
  return outcome.hold.id
}

/** Holds these items, and delivers them. */
export async function settledPurchase(
  market: StoreMarket,
  buyer: WalletAddress,
  items: readonly OrderedItem[],
  { signature, ...terms }: { fee?: FeeTerms; signature?: Signature; checkout?: string } = {},
) {
  const id = await heldPurchase(market, buyer, items, terms)
  const { outcome } = await settleInStore(market, id, signature)
  if (outcome !== 'settled') throw new Error(outcome)
  return id
}

/** Reads on from a place until nothing new comes. */
export async function followSales({ database }: Pick<StoreMarket, 'database'>, after?: string, limit = 500) {
  const sales: Sale[] = []
  for (let next = after; ;) {
    const page = await readSales(database, { ...(next !== undefined && { after: next }), limit })
    sales.push(...page.sales)
    next = page.next
    if (page.sales.length === 0) return { sales, next }
  }
}
