import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Case, type Purchase } from '@juicebar/contract/schemas'

import { submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { signRefund } from '../sign-refund.ts'
import { casesOf, readPurchase, type TradingWorld, type Wallet } from '../trading-world.ts'
import { type SignedPayment } from '../transactions.ts'
import { type ForkableChain } from './forkable-chain.ts'
import { type ListingModel, type MarketModel } from './market-model.ts'

/** The running product, with what one sequence has created, in the model's order. The model itself knows the listings' names. */
export interface RealMarket {
  world: TradingWorld
  chain: ForkableChain
  sellers: readonly Wallet[]
  buyers: readonly Wallet[]
  /** Receives the fee. */
  studio: Wallet
  purchases: Purchase[]
  payments: SignedPayment[]
}

/** Does the same to the product and to the model. Resolves to what it did, in words. */
export type Act = (model: MarketModel, real: RealMarket) => Promise<string>

/** How an action ended: `done`, or the code of its refusal. */
export async function outcomeOf(action: Promise<unknown>): Promise<string> {
  try {
    await action
    return 'done'
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

export function itemAt<T>(items: readonly T[], number: number): T {
  const item = items[number]
  if (item === undefined) throw new Error(`no item ${number}`)
  return item
}

export async function purchasesNow({ world, purchases }: RealMarket): Promise<Purchase[]> {
  return Promise.all(purchases.map(({ purchaseId }) => readPurchase(world, purchaseId)))
}

/** A row of the database, whose purchase is named by its number. */
export type SeenListing = Pick<ListingModel, 'id' | 'amount' | 'price' | 'state' | 'heldBy'>

/** All listings of the sellers, and their parts. */
export async function listingsNow({ world, sellers, purchases }: RealMarket): Promise<SeenListing[]> {
  const numbers = new Map(purchases.map(({ purchaseId }, number) => [purchaseId, number]))
  const { rows } = await world.connection.pool.query<{
    id: string
    amount: bigint
    price: bigint
    state: ListingModel['state']
    heldBy: string | null
  }>(`select id, amount, price_lamports as price, status as state, held_by as "heldBy" from listings where seller = any ($1) order by id`, [
    sellers.map(({ address }) => address),
  ])
  return rows.map((row) => ({ ...row, amount: Number(row.amount), heldBy: numbers.get(row.heldBy ?? '') }))
}

/** What the model has of them, in the same order. */
export function listingsOf({ listings }: MarketModel): SeenListing[] {
  const seen = listings.map(({ id, amount, price, state, heldBy }) => ({ id, amount, price, state, heldBy }))
  return seen.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** The cases that seller and buyer both see. */
export async function casesSeenByBoth({ world, sellers, buyers }: RealMarket): Promise<Case[]> {
  const bySellers = await Promise.all(sellers.map((seller) => casesOf(world, seller.address)))
  const byBuyers = await Promise.all(buyers.map((buyer) => casesOf(world, buyer.address)))
  const seen = new Set(byBuyers.flat().map((found) => found.caseId))
  return bySellers.flat().filter((found) => seen.has(found.caseId))
}

/** Submits the refund of a case. */
export async function refund({ world }: RealMarket, seller: Wallet, caseId: string): Promise<Signature> {
  const { base64 } = await signRefund(world, seller, { caseId })
  return submitRefund(world.deps, seller.address, caseId, base64)
}
