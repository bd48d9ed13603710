import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Case, type Purchase } from '@juicebar/contract/schemas'

import { findListing } from '../../../src/listings/listing-store.ts'
import { submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { makeBuyerScansDue, makeCasesDue, makePurchasesDue } from '../reconciling.ts'
import { signRefund } from '../sign-refund.ts'
import { casesOf, readPurchase, type TradingWorld, type Wallet } from '../trading-world.ts'
import { type SignedPayment } from '../transactions.ts'
import { type ForkableChain } from './forkable-chain.ts'
import { type MarketModel } from './market-model.ts'

/** The running product, with what one sequence has created, in the model's order. */
export interface RealMarket {
  world: TradingWorld
  chain: ForkableChain
  seller: Wallet
  buyers: readonly Wallet[]
  /** Their identifiers. */
  listings: string[]
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

export async function listingStatus({ world }: RealMarket, id: string): Promise<string | undefined> {
  return (await findListing(world.database, id))?.status
}

/** The cases that seller and buyer both see. */
export async function casesSeenByBoth({ world, seller, buyers }: RealMarket): Promise<Case[]> {
  const bySeller = await casesOf(world, seller.address)
  const byBuyers = await Promise.all(buyers.map((buyer) => casesOf(world, buyer.address)))
  const seen = new Set(byBuyers.flat().map((found) => found.caseId))
  return bySeller.filter((found) => seen.has(found.caseId))
}

/** Makes everything due that will ever be again, and reconciles once. */
export async function reconcileAll({ world }: RealMarket): Promise<void> {
  await makeBuyerScansDue(world)
  await makePurchasesDue(world)
  await makeCasesDue(world)
  await reconcileOnce(world.deps)
}

/** Submits the refund of a case. */
export async function refund({ world, seller }: RealMarket, caseId: string): Promise<Signature> {
  const { base64 } = await signRefund(world, seller, { caseId })
  return submitRefund(world.deps, seller.address, caseId, base64)
}
