import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type BaseLogger } from 'pino'
import { type Database } from '../database/connect.ts'
import { violatedConstraint } from '../runtime/database-failures.ts'
import { inTransaction, type Tx } from '../database/transact.ts'
import { checkSigners } from './check-signers.ts'
import { balanceOf, changeOf, decideOrders, type OrderDecision, type StoredOrder, type StudioOrder } from './studio-order.ts'
import { findOrders, insertOrders, lockBalances } from './ledger-store.ts'

export interface PostedOrder extends Omit<StudioOrder, 'reason'> {
  id: string
  createdAt: string
}

/** The outcome of an order, and how many of its token the wallet has afterwards. */
export interface OrderOutcome {
  order: PostedOrder
  balance: number
  /** Posted by this call. */
  isNew: boolean
}

export interface OrderDeps {
  database: Database
  log: Pick<BaseLogger, 'info'>
}

/** On whose behalf orders are posted. Both functions run in the transaction of the orders. */
export interface OrderGiver {
  /** Where its idempotency keys are known; all share the empty one. */
  namespace: string
  /** Locks and returns what may still be credited; undefined without a limit. Called before anything else is locked. */
  lockAllowance(tx: Tx): Promise<bigint | undefined>
  /** Records what is posted. */
  record(tx: Tx, posted: readonly RecordedOrder[]): Promise<void>
}

export interface RecordedOrder {
  id: string
  order: StudioOrder
}

const ATTEMPTS = 5

/**
 * Posts one order; see `postStudioOrders`.
 * @throws the failure that would otherwise be its outcome
 */
export async function postStudioOrder(deps: OrderDeps, order: StudioOrder, giver?: OrderGiver): Promise<PostedOrder & { balance: number }> {
  const [outcome] = await postOrders(deps.database, [order], giver)
  if (!outcome) throw new Error('an order has no outcome')
  if (outcome instanceof Failure) throw outcome
  if (outcome.isNew) {
    const { direction, walletAddress: wallet, tokenType, amount, idempotencyKey } = order
    deps.log.info({ wallet, tokenType, amount, idempotencyKey }, `a ${direction}`)
  }
  return { ...outcome.order, balance: outcome.balance }
}

/**
 * Posts credits and debits: the only way for tokens to enter or leave the market. All are written in one transaction, but each is decided
 * individually. An order with a known idempotency key moves nothing and returns the order posted with that key.
 * @returns the outcome of each, or IDEMPOTENCY_KEY_REUSED if the key belongs to a different order; WALLET_CANNOT_SIGN for a
 *   credit that nobody could use; INSUFFICIENT_TOKENS; BALANCE_LIMIT; DAILY_LIMIT
 */
export async function postStudioOrders(
  deps: OrderDeps,
  orders: readonly StudioOrder[],
  giver?: OrderGiver,
): Promise<(OrderOutcome | Failure)[]> {
  const outcomes = await postOrders(deps.database, orders, giver)
  const posted = outcomes.filter((outcome) => !(outcome instanceof Failure) && outcome.isNew).length
  if (posted > 0) deps.log.info({ posted, of: orders.length }, 'orders')
  return outcomes
}

/** No lock covers a key that is used for another wallet at the same time: the next attempt finds it used. */
async function postOrders(database: Database, orders: readonly StudioOrder[], giver?: OrderGiver): Promise<(OrderOutcome | Failure)[]> {
  const credited = orders.flatMap(({ direction, walletAddress }) => (direction === 'credit' ? [walletAddress] : []))
  const signers = await checkSigners(database, credited)
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(database, (tx) => postIn(tx, orders, { signers, giver }))
    } catch (error) {
      if (attempt === ATTEMPTS || violatedConstraint(error) !== 'transfers_idempotency_key_key') throw error
    }
  }
}

interface Posting {
  signers: ReadonlySet<WalletAddress>
  giver: OrderGiver | undefined
}

async function postIn(tx: Tx, orders: readonly StudioOrder[], { signers, giver }: Posting): Promise<(OrderOutcome | Failure)[]> {
  const allowance = orders.some(({ direction }) => direction === 'credit') ? await giver?.lockAllowance(tx) : undefined
  const balances = await lockBalances(tx, orders)
  const namespace = giver?.namespace ?? ''
  const posted = await findOrders(
    tx,
    namespace,
    orders.map(({ idempotencyKey }) => idempotencyKey),
  )
  const decisions = decideOrders(orders, { balances, posted, allowance, signers })
  const places = decisions.flatMap((decision, place) => (decision.kind === 'post' ? [place] : []))
  const wanted = places.flatMap((place) => orders[place] ?? [])
  const created = new Map<number, { id: string; createdAt: Date }>()
  if (wanted.length > 0) {
    const { ids, createdAt } = await insertOrders(tx, namespace, wanted)
    for (const [index, place] of places.entries()) created.set(place, { id: ids[index] ?? '', createdAt })
    await giver?.record(
      tx,
      wanted.map((order, index) => ({ id: ids[index] ?? '', order })),
    )
  }
  // A new wallet had no balance to lock, so another transaction may have created it in the meantime, even with an order that is repeated
  // here.
  const wasNew = orders.some((order, place) => decisions[place]?.kind !== 'refused' && !balances.has(balanceOf(order)))
  const after = wasNew ? await lockBalances(tx, orders) : balancesAfter(balances, wanted)
  return outcomesOf(orders, { decisions, created, after })
}

function balancesAfter(before: ReadonlyMap<string, bigint>, posted: readonly StudioOrder[]): Map<string, bigint> {
  const after = new Map(before)
  for (const order of posted) after.set(balanceOf(order), (after.get(balanceOf(order)) ?? 0n) + changeOf(order))
  return after
}

interface Written {
  decisions: readonly OrderDecision[]
  created: ReadonlyMap<number, { id: string; createdAt: Date }>
  /** The balances after all of them. */
  after: ReadonlyMap<string, bigint>
}

/** From the last order to the first: the balance after an order is the final balance less the changes of later orders. */
function outcomesOf(orders: readonly StudioOrder[], { decisions, created, after }: Written): (OrderOutcome | Failure)[] {
  const balances = new Map(after)
  const outcomes = orders.map((order, place) => ({ order, place })).reverse()
  return outcomes
    .map(({ order, place }): OrderOutcome | Failure => {
      const decision = decisions[place]
      if (!decision || decision.kind === 'refused') return decision?.failure ?? new Failure('INTERNAL')
      const balance = balances.get(balanceOf(order)) ?? 0n
      const isNew = decision.kind === 'post'
      if (isNew) balances.set(balanceOf(order), balance - changeOf(order))
      const stored = storedOf(decision, place, created)
      return { order: postedOrder(order, stored), balance: Number(balance), isNew }
    })
    .reverse()
}

function storedOf(decision: OrderDecision, place: number, created: Written['created']): Pick<PostedOrder, 'id' | 'createdAt'> {
  const stored: (Pick<StoredOrder, 'createdAt'> & { id: bigint | string }) | undefined =
    decision.kind === 'posted' ? decision.stored : created.get(decision.kind === 'repeated' ? decision.index : place)
  if (!stored) throw new Error('a posted order is missing')
  return { id: String(stored.id), createdAt: stored.createdAt.toISOString() }
}

function postedOrder(order: StudioOrder, stored: Pick<PostedOrder, 'id' | 'createdAt'>): PostedOrder {
  const { direction, walletAddress, tokenType, amount, idempotencyKey } = order
  return { direction, walletAddress, tokenType, amount, idempotencyKey, ...stored }
}
