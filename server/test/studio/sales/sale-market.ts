import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Sale } from '@juicebar/contract/schemas'

import { type FeeTerms } from '../../../src/purchases/fee.ts'
import { type OrderedItem } from '../../../src/purchases/hold/hold.ts'
import { readSales } from '../../../src/studio/sales/read-sales.ts'
import { holdInStore, noFee, settleInStore, type StoreMarket } from '../../purchases/baskets/store-market.ts'

/** Holds these items. Returns the purchase's identifier. */
export async function heldPurchase(market: StoreMarket, buyer: WalletAddress, items: readonly OrderedItem[], fee: FeeTerms = noFee) {
  const outcome = await holdInStore(market, { buyer, items, sendsThrough: 'server', paysTransfers: true }, fee)
  if (outcome.kind !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`)
  return outcome.hold.id
}

/** Holds these items, and delivers them. */
export async function settledPurchase(
  market: StoreMarket,
  buyer: WalletAddress,
  items: readonly OrderedItem[],
  { fee = noFee, signature }: { fee?: FeeTerms; signature?: Signature } = {},
) {
  const id = await heldPurchase(market, buyer, items, fee)
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
