import { base64 } from '@scure/base'
import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { getBase64EncodedWireTransaction, getTransactionDecoder, partiallySignTransaction } from '@solana/kit'

import { findListing } from '../../../src/listings/listing-store.ts'
import { prepareRefund, submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { reconcileOnce } from '../../../src/purchases/reconciliation/reconcile-round.ts'
import { casesOf, list, readPurchase, type SignedPayment, type TradingWorld, type Wallet } from '../trading-world.ts'
import { type ForkableChain } from './forkable-chain.ts'
import { type MarketModel } from './market-model.ts'

/** The running product, with the things of one sequence in the order in which they came. */
export interface RealMarket {
  world: TradingWorld
  chain: ForkableChain
  seller: Wallet
  buyers: readonly Wallet[]
  lots: string[]
  purchases: Purchase[]
  payments: SignedPayment[]
}

/** Does one thing to the product and the model alike, and says what it was. */
export type Act = (model: MarketModel, real: RealMarket) => Promise<string>

/** What became of an action: nothing to say, or the code of its refusal. */
export async function outcomeOf(action: Promise<unknown>): Promise<string> {
  try {
    await action
    return 'done'
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

export async function putUp(real: RealMarket, price: bigint, amount: number): Promise<void> {
  real.lots.push(await list(real.world, real.seller, { price, amount }))
}

export function itemOf<T>(items: readonly T[], number: number): T {
  const item = items[number]
  if (item === undefined) throw new Error(`there is no number ${number}`)
  return item
}

export async function purchasesNow({ world, purchases }: RealMarket): Promise<Purchase[]> {
  return Promise.all(purchases.map(({ purchaseId }) => readPurchase(world, purchaseId)))
}

export async function lotStatus({ world }: RealMarket, id: string): Promise<string | undefined> {
  return (await findListing(world.database, id))?.status
}

/** Cases that both sides of this market see. */
export async function casesSeen({ world, seller, buyers }: RealMarket): Promise<Case[]> {
  const bySeller = await casesOf(world, seller.address)
  const byBuyers = await Promise.all(buyers.map((buyer) => casesOf(world, buyer.address)))
  const seen = new Set(byBuyers.flat().map((found) => found.caseId))
  return bySeller.filter((found) => seen.has(found.caseId))
}

/** Everything that a node may look at is due now. */
export async function lookAtAll({ world }: RealMarket): Promise<void> {
  await world.connection.pool.query('update purchases set reconcile_at = now() where reconcile_at is not null')
  await world.connection.pool.query('update cases set reconcile_at = now() where reconcile_at is not null')
  await reconcileOnce(world.deps)
}

/** The seller pays a case back. */
export async function refund({ world, seller }: RealMarket, caseId: string): Promise<Signature> {
  const { transaction } = await prepareRefund(world.deps, seller.address, caseId)
  const decoded = getTransactionDecoder().decode(base64.decode(transaction))
  const signed = await partiallySignTransaction([seller.signer.keyPair], decoded)
  return submitRefund(world.deps, seller.address, caseId, getBase64EncodedWireTransaction(signed))
}
