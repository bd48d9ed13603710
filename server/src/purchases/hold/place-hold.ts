import { Failure } from '@juicebar/contract/errors'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type Chain } from '../../chain/chain.ts'
import { beginCheckout } from '../../checkouts/checkout-store.ts'
import { decideAdmission, noReservations, type Reservations, returnReservation, type HoldOrder } from './hold.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { decideOrder } from '../reservation/decide-order.ts'
import { readFacts } from '../reservation/facts-store.ts'
import { type BuyOrder, type Funds, soundItems, spendableLamports, type Refusal, refusalFailure } from '../reservation/order.ts'
import { type ReservationDecision, type ReservationPlan } from '../reservation/reservation.ts'
import { decideReservation } from '../reservation/reservation-decision.ts'
import { type HeldPurchase, insertHold, keepHold, lockPayLink, notePayLinkHold } from './hold-store.ts'

/** Requests that a purchase is expected to cost whose payment the wallet sends (docs/scaling.md). */
const REQUESTS = 5

/** Of this server, for each chain client. */
const reservations = new WeakMap<Chain, Reservations>()

/**
 * Reserves the part of the chain budget that a purchase will cost.
 *
 * @returns a function that cancels the reservation if the hold is not placed after all.
 * @throws CHAIN_BUSY, with an honest time to try again, if there is no room for it
 */
function admitHold(chain: Chain): () => void {
  const { perSecond, backlogSeconds } = chain.budget()
  // No endpoint serves this chain now. That is an outage, which the next request reports.
  if (perSecond === 0) return () => undefined
  const demand = { now: performance.now() / 1000, perSecond, backlogSeconds, requests: REQUESTS }
  const admission = decideAdmission(reservations.get(chain) ?? noReservations, demand)
  reservations.set(chain, admission.reservations)
  if (admission.kind === 'busy') throw new Failure('CHAIN_BUSY', { retryAfter: admission.retryAfter })
  return () => void reservations.set(chain, returnReservation(reservations.get(chain) ?? noReservations, { perSecond, requests: REQUESTS }))
}

/** What the chain answered before the transaction began. */
export interface ChainReading {
  genesisHash: string
  heldAtSlot: bigint
  funds: Funds
}

/** A hold with everything that decides about it without the chain. */
export type PricedOrder = HoldOrder & Omit<BuyOrder, 'funds' | 'payment'>

/** `isNew`: false if the buyer had it already. */
export type HoldOutcome = { kind: 'refused'; refusal: Refusal } | { kind: 'held'; hold: HeldPurchase; isNew: boolean }

type HoldDeps = Pick<PurchaseDeps, 'database' | 'references'> & { settings: Pick<PurchaseDeps['settings'], 'holdSeconds' | 'walletSends'> }

/**
 * Holds listings, or parts of them, for a buyer who is about to pay. Asking again returns the same hold. Orders that can be refused without
 * the chain are refused first, because requests to the chain are scarce; all is decided again under the locks.
 * @throws WALLET_SENDS_OFF, REFERENCE_NEEDED; the codes of `Refusal`, TOO_MANY_ITEMS, SAME_LISTING_TWICE, FEE_WALLET_EMPTY, CHAIN_BUSY or CHAIN_DOWN, if nothing is held;
 * PAYMENT_UNDER_WAY or HOLD_ENDED, if paying for the buyer's own hold would be a mistake.
 */
export async function placeHold(deps: PurchaseDeps, order: HoldOrder): Promise<HeldPurchase> {
  try {
    if (deps.settings.walletSends === 'referenced' && !order.paysTransfers) throw new Failure('REFERENCE_NEEDED')
    const outcome = await checkAndHold(deps, { ...order, kind: 'hold', items: soundItems(order.items), fee: deps.settings.fee })
    if (outcome.kind === 'refused') throw refusalFailure(outcome.refusal, deps.catalogue)
    if (outcome.isNew) deps.observer?.holdPlaced()
    return outcome.hold
  } catch (error) {
    if (error instanceof Failure) deps.observer?.holdRefused(error.code)
    throw error
  }
}

async function checkAndHold(deps: PurchaseDeps, order: PricedOrder): Promise<HoldOutcome> {
  const ids = order.items.map(({ listingId }) => listingId)
  const facts = await readFacts(deps.database, order.buyer, ids, order)
  const decision = decideReservation(facts, order)
  if (deps.settings.walletSends === 'off' && !isOfOpenHold(decision)) throw new Failure('WALLET_SENDS_OFF')
  if (decision.kind === 'refused') return decision
  // If the same hold has ended meanwhile, this is a new order.
  if (decision.kind === 'repeated') return (await findSameHold(deps, order)) ?? checkAndHold(deps, order)
  const returnReservation = admitHold(deps.chain)
  try {
    const reading = await readChain(deps, order.buyer, decision.plan)
    // Whoever has bought before is no newcomer to their network.
    const outcome = await holdAsRead(deps, facts.hasBought ? { ...order, network: undefined } : order, reading)
    if (outcome.kind === 'refused') returnReservation()
    return outcome
  } catch (error) {
    returnReservation()
    throw error
  }
}

/** Whether the order is one that the buyer holds already. */
function isOfOpenHold(decision: ReservationDecision): boolean {
  if (decision.kind === 'reserve') return false
  return decision.kind === 'repeated' || decision.refusal.code === 'PAYMENT_UNDER_WAY' || decision.refusal.code === 'HOLD_ENDED'
}

/** The open hold that the buyer has of the same order, or why there is none; undefined if it has ended meanwhile. */
async function findSameHold({ database }: HoldDeps, order: PricedOrder): Promise<HoldOutcome | undefined> {
  return inTransaction(database, async (tx) => {
    const { decision } = await decideHold(tx, order)
    if (decision.kind === 'refused') return decision
    return decision.kind === 'repeated' ? keep(tx, order, decision.purchaseId) : undefined
  })
}

/** The second half of `placeHold`, once the chain has answered: decides under the locks, and holds. */
export async function holdAsRead(
  { database, references, settings }: HoldDeps,
  order: PricedOrder,
  { funds, ...reading }: ChainReading,
): Promise<HoldOutcome> {
  const { buyer, fee, payLink } = order
  const needsReference = settings.walletSends === 'referenced'
  const terms = { ...reading, buyer, fee, needsReference, holdSeconds: settings.holdSeconds, network: order.network?.hash }
  return inTransaction(database, async (tx) => {
    const { decision, checkoutId } = await decideHold(tx, { ...order, funds })
    if (decision.kind === 'refused') return decision
    if (decision.kind === 'repeated') return keep(tx, order, decision.purchaseId)
    const hold = await insertHold(tx, decision.plan, { ...terms, reference: references.make('purchase', buyer) })
    if (payLink !== undefined) await notePayLinkHold(tx, payLink, buyer, hold.id)
    if (checkoutId !== undefined) await beginCheckout(tx, checkoutId, hold.id)
    return { kind: 'held', hold, isNew: true }
  })
}

/** `checkoutId`: of the checkout that the order names. */
interface DecidedHold {
  decision: ReservationDecision
  checkoutId?: string | undefined
}

async function decideHold(tx: Tx, order: PricedOrder & Pick<BuyOrder, 'funds'>): Promise<DecidedHold> {
  const { payLink, buyer } = order
  const refusal = payLink === undefined ? undefined : await lockPayLink(tx, payLink, buyer)
  if (refusal) return { decision: { kind: 'refused', refusal } }
  const { decision, facts } = await decideOrder(tx, order)
  return { decision, checkoutId: facts.checkout?.id }
}

async function keep(tx: Tx, { payLink, buyer }: PricedOrder, id: string): Promise<HoldOutcome> {
  const hold = await keepHold(tx, id)
  if (payLink !== undefined) await notePayLinkHold(tx, payLink, buyer, id)
  return { kind: 'held', hold, isNew: false }
}

/** @throws FEE_WALLET_EMPTY, CHAIN_BUSY or CHAIN_DOWN */
async function readChain({ chain, settings }: PurchaseDeps, buyer: WalletAddress, plan: ReservationPlan): Promise<ChainReading> {
  const rentExemptMinimum = await chain.rentExemptMinimum()
  // A transfer that leaves its recipient below the minimum fails, and with it all other transfers of the transaction.
  const small = [...plan.received].flatMap(([seller, lamports]) => (lamports < rentExemptMinimum ? [seller] : []))
  const feeWallet = plan.feeLamports > 0n ? settings.fee.wallet : undefined
  const [genesisHash, balance, ofFeeWallet, balances] = await Promise.all([
    chain.genesisHash(),
    chain.balance(buyer),
    feeWallet && chain.balance(feeWallet),
    Promise.all(small.map(async (wallet) => [wallet, await chain.balance(wallet)] as const)),
  ])
  if (ofFeeWallet !== undefined && ofFeeWallet + plan.feeLamports < rentExemptMinimum) throw new Failure('FEE_WALLET_EMPTY')
  const funds = {
    spendable: spendableLamports(balance, rentExemptMinimum),
    networkFee: SIGNATURE_FEE_LAMPORTS,
    rentExemptMinimum,
    balances: new Map(balances),
  }
  // Of a single endpoint, reading the balance also returned the slot. Several are asked for it, at most once in two seconds.
  return { genesisHash, heldAtSlot: await chain.reachedSlot(), funds }
}
