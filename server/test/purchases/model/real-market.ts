import { type Signature } from '@juicebar/contract/addresses'
import { type Case, type Purchase } from '@juicebar/contract/schemas'
import { base58 } from '@scure/base'
import { expect } from 'vitest'
import { type Chain } from '../../../src/chain/chain.ts'
import { submitRefund } from '../../../src/purchases/cases/refund-case.ts'
import { runAudit } from '../../../src/studio/audit/run-audits.ts'
import { type TradingWorld, type Wallet } from '../trading-world.ts'
import { type SignedPayment } from '../transactions.ts'
import {
  deliver,
  endHold,
  endReasonOf,
  isFoundByItself,
  itemAt,
  type ListingModel,
  looksHopeless,
  type MarketModel,
  mayDeliver,
  paymentOf,
} from './market-model.ts'

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

async function purchasesNow({ world, purchases }: RealMarket): Promise<Purchase[]> {
  return Promise.all(purchases.map(({ purchaseId }) => world.read(purchaseId)))
}

/** A row of the database, whose purchase is named by its number. */
export type SeenListing = Pick<ListingModel, 'id' | 'amount' | 'price' | 'state' | 'heldBy'>

/** All listings of the sellers, and their parts. */
async function listingsNow({ world, sellers, purchases }: RealMarket): Promise<SeenListing[]> {
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
function listingsOf({ listings }: MarketModel): SeenListing[] {
  const seen = listings.map(({ id, amount, price, state, heldBy }) => ({ id, amount, price, state, heldBy }))
  return seen.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** The cases that seller and buyer both see. */
export async function casesSeenByBoth({ world, sellers, buyers }: RealMarket): Promise<Case[]> {
  const bySellers = await Promise.all(sellers.map((seller) => world.casesOf(seller)))
  const byBuyers = await Promise.all(buyers.map((buyer) => world.casesOf(buyer)))
  const seen = new Set(byBuyers.flat().map((found) => found.caseId))
  return bySellers.flat().filter((found) => seen.has(found.caseId))
}

/** Submits the refund of a case. */
export async function refund({ world }: RealMarket, seller: Wallet, caseId: string): Promise<Signature> {
  const { base64 } = await world.signRefund(seller, { caseId })
  return submitRefund(world.deps, seller.address, caseId, base64)
}

/** The real chain, which can roll back single transactions: from then on it does not know them and does not accept them again. */
export interface ForkableChain extends Chain {
  rollBack(signature: Signature): void
}

export function forkable(chain: Chain): ForkableChain {
  const rolledBack = new Set<string>()
  const isKept = (signature: string) => !rolledBack.has(signature)
  return {
    genesisHash: () => chain.genesisHash(),
    isUp: () => chain.isUp(),
    isWhole: (...args) => chain.isWhole(...args),
    endpoints: () => chain.endpoints(),
    isSaturated: () => chain.isSaturated(),
    hasSpare: () => chain.hasSpare(),
    budget: () => chain.budget(),
    balance: (...args) => chain.balance(...args),
    rentExemptMinimum: () => chain.rentExemptMinimum(),
    latestBlockhash: () => chain.latestBlockhash(),
    highestSlot: () => chain.highestSlot(),
    reachedSlot: () => chain.reachedSlot(),
    highestBlockHeight: () => chain.highestBlockHeight(),
    expiryHeight: (...args) => chain.expiryHeight(...args),
    simulate: (...args) => chain.simulate(...args),
    rollBack: (signature) => void rolledBack.add(signature),
    broadcast: async (bytes) => (isKept(signatureOf(bytes)) ? chain.broadcast(bytes) : undefined),
    statuses: (signatures, ...args) => chain.statuses(signatures.filter(isKept), ...args),
    finality: (signatures) => chain.finality(signatures.filter(isKept)),
    transaction: async (signature, ...args) => (isKept(signature) ? chain.transaction(signature, ...args) : undefined),
    landedSlots: (...args) => chain.landedSlots(...args),
    recentSignatures: async (...args) => (await chain.recentSignatures(...args)).filter((entry) => isKept(entry.signature)),
    finalized: async (options) => {
      const view = await chain.finalized(options)
      return {
        ...view,
        history: async (...args) => {
          const part = await view.history(...args)
          return part.kind === 'part' ? { ...part, entries: part.entries.filter((entry) => isKept(entry.signature)) } : part
        },
        statusOf: async (signature) => (isKept(signature) ? view.statusOf(signature) : undefined),
      }
    },
  }
}

const SIGNATURE_BYTES = 64

/** The first signature of a transaction identifies it. In its bytes, the signatures follow their count. */
function signatureOf(transaction: Uint8Array): string {
  return base58.encode(transaction.subarray(1, 1 + SIGNATURE_BYTES))
}

const scansBuyers = { scansBuyers: true }

/**
 * Notes that a payment was found and moved the tokens.
 * @param items of the purchase as it is now: what was split off for it has a name
 * @returns false if the market does not allow it
 */
export function settle(model: MarketModel, number: number, { paidBy, items }: { paidBy: number; items: Purchase['items'] }): boolean {
  const names = items.map(({ listingId }) => listingId)
  if (!deliver(model, number, names)) return false
  Object.assign(itemAt(model.purchases, number), { state: 'settled', paidBy, abandoned: false })
  return true
}

/**
 * Reconciles until every payment that can be found has moved tokens or is in a case. The round in which a hold ends after its window
 * closed depends on the chain's height, so the model follows the product there, if it may end.
 * @returns what changed, in words.
 */
export async function reconcileUntilFound(model: MarketModel, real: RealMarket): Promise<string> {
  const changes: string[] = []
  await real.world.reconcileUntil(async () => {
    changes.push(...(await updateModel(model, real)))
    await expectFound(model, real)
  }, scansBuyers)
  return changes.join(', ') || 'nothing changes'
}

/** Reconciles until no purchase is held. */
export async function reconcileUntilClosed(model: MarketModel, real: RealMarket): Promise<void> {
  await real.world.reconcileUntil(async () => {
    await updateModel(model, real)
    expect(model.purchases.map(({ state }) => state)).not.toContain('held')
    await expectFound(model, real)
  }, scansBuyers)
}

/** Reconciles until every delivery whose payment was rolled back is a case that both sides see. */
export async function reconcileUntilReported(model: MarketModel, real: RealMarket): Promise<void> {
  const vanished = model.purchases.flatMap(({ paidBy }) => {
    if (paidBy === undefined || !paymentOf(model, paidBy).rolledBack) return []
    const { signature } = itemAt(real.payments, paidBy)
    return paymentOf(model, paidBy).paid.map((seller) => `${signature} of ${itemAt(real.sellers, seller).address}`)
  })
  await real.world.reconcileUntil(async () => {
    const reported = (await casesSeenByBoth(real)).filter((found) => found.kind === 'vanished')
    expect(reported.map(({ signature, seller }) => `${signature} of ${seller}`).toSorted()).toEqual(vanished.toSorted())
  }, scansBuyers)
}

async function expectFound(model: MarketModel, real: RealMarket): Promise<void> {
  const cases = new Set((await casesSeenByBoth(real)).map(({ signature }) => signature))
  const overlooked = model.payments.flatMap((payment, number) => {
    const { state, paidBy } = itemAt(model.purchases, payment.purchase)
    const reported = paidBy === number || cases.has(itemAt(real.payments, number).signature)
    const isOverlooked = (mayDeliver(model, payment) && !payment.hopeless) || !reported
    return isFoundByItself(model, payment) && !payment.rolledBack && paidBy !== number && isOverlooked
      ? [`payment ${number} of a purchase that is ${state}`]
      : []
  })
  const refunding = (await casesSeenByBoth(real)).filter(({ status }) => status === 'refunding').map(({ caseId }) => caseId)
  expect({ overlooked, refunding }).toEqual({ overlooked: [], refunding: [] })
}

/**
 * Updates the model to the product's state, and fails if the model does not allow it. What happened in one round may have happened in any
 * order, which decides how listings were split and merged.
 */
async function updateModel(model: MarketModel, real: RealMarket): Promise<string[]> {
  const now = await purchasesNow(real)
  const changed = [...now.keys()].filter((number) => itemAt(now, number).status !== itemAt(model.purchases, number).state)
  if (changed.length === 0) return []
  const changes = changed.map((number) => changeOf(real, number, itemAt(now, number)))
  const followed = follow(model, changes, await listingsNow(real))
  const words = changed.map((number) => `purchase ${number} is ${itemAt(now, number).status}`)
  if (!followed) throw new Error(`the market does not allow that ${words.join(', ')}, or not with these listings`)
  Object.assign(model, followed)
  return words
}

/** Does to a model what may have happened to a purchase. Returns false if the market does not allow it. */
type Way = (model: MarketModel) => boolean
type Change = readonly Way[]

function changeOf(real: RealMarket, number: number, now: Purchase): Change {
  if (now.status !== 'settled') return [(model) => end(model, number, now)]
  const paidBy = real.payments.findIndex(({ signature }) => signature === now.signature)
  const settles: Way = (model) => {
    const payment = paymentOf(model, paidBy)
    return payment.purchase === number && mayDeliver(model, payment) && settle(model, number, { paidBy, items: now.items })
  }
  return [settles]
}

function end(model: MarketModel, number: number, { status, endReason }: Purchase): boolean {
  const purchase = itemAt(model.purchases, number)
  const isPaid = model.payments.some(
    (payment) => payment.purchase === number && isFoundByItself(model, payment) && mayDeliver(model, payment),
  )
  if (purchase.state !== 'held' || !purchase.windowClosed || isPaid || status !== 'ended' || endReason !== endReasonOf(purchase))
    return false
  Object.assign(purchase, { state: 'ended', abandoned: endReason !== 'expired' })
  endHold(model, number)
  return true
}

/** The model after all these changes, in an order that ends with these listings; undefined if there is none. */
function follow(model: MarketModel, changes: readonly Change[], listings: readonly SeenListing[]): MarketModel | undefined {
  if (changes.length === 0) return isSame(listingsOf(model), listings) ? model : undefined
  for (const change of changes) {
    const others = changes.filter((other) => other !== change)
    for (const way of change) {
      const next = structuredClone(model)
      noteHopeless(next)
      const found = way(next) ? follow(next, others, listings) : undefined
      if (found) return found
    }
  }
  return undefined
}

function isSame(some: readonly SeenListing[], others: readonly SeenListing[]): boolean {
  const text = ({ id, amount, price, state, heldBy }: SeenListing) => [id, amount, price, state, heldBy].join()
  return some.map(text).join(';') === others.map(text).join(';')
}

/** Once the product has seen that a late payment cannot be delivered, its sellers return it, even if it could be after all. */
function noteHopeless(model: MarketModel): void {
  for (const payment of model.payments) {
    if (itemAt(model.purchases, payment.purchase).state === 'ended' && looksHopeless(model, payment.purchase)) payment.hopeless = true
  }
}

const STARTING_TOKENS = 1_000

/**
 * Invariants I1 to I3 and I5 by the product's own audit, and by the model: who owns what, what is left of each listing for which price,
 * what is held and sold, and what paid for it.
 */
export async function expectInvariants(model: MarketModel, real: RealMarket): Promise<void> {
  noteHopeless(model)
  const balancesOf = (wallets: RealMarket['buyers']) => Promise.all(wallets.map((wallet) => real.world.appleJuice(wallet)))
  const [report, purchases, listings, sellers, buyers] = await Promise.all([
    runAudit(real.world.deps, { full: true }),
    purchasesNow(real),
    listingsNow(real),
    balancesOf(real.sellers),
    balancesOf(real.buyers),
  ])
  expect(report.violations).toEqual([])
  expect({
    purchases: purchases.map(({ status }) => status),
    listings,
    tokens: { sellers, buyers },
    paidBy: purchases.map((purchase) => (purchase.status === 'settled' ? purchase.signature : null)),
  }).toEqual({
    purchases: model.purchases.map(({ state }) => state),
    listings: listingsOf(model),
    tokens: expectedTokens(model, real),
    paidBy: model.purchases.map(({ paidBy }) => (paidBy === undefined ? null : real.payments[paidBy]?.signature)),
  })
}

function expectedTokens({ listings, purchases }: MarketModel, { sellers, buyers }: RealMarket) {
  const sum = (rows: readonly { amount: number }[]) => rows.reduce((total, { amount }) => total + amount, 0)
  const isOffered = (state: string) => state === 'active' || state === 'reserved' || state === 'sold'
  const offered = (seller: number) => sum(listings.filter((listing) => listing.seller === seller && isOffered(listing.state)))
  const settled = purchases.filter(({ state }) => state === 'settled')
  const bought = (buyer: number) => sum(settled.filter((purchase) => purchase.buyer === buyer).flatMap(({ items }) => items))
  return {
    sellers: sellers.map((_, seller) => STARTING_TOKENS - offered(seller)),
    buyers: buyers.map((_, buyer) => STARTING_TOKENS + bought(buyer)),
  }
}
