import { errors, Failure } from '@juicebar/contract/errors'
import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { CO_SIGNED_FEE_LAMPORTS, MAX_REFUSED_PAYMENTS } from '@juicebar/contract/limits'

import { BLOCKHASH_BLOCKS, type Chain, type Simulation } from '../../chain/chain.ts'
import { withSignature } from '../../chain/transactions/message.ts'
import { beginCheckout } from '../../checkouts/checkout-store.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { decodeSubmitted, differenceFrom, type SubmittedPayment } from '../payment/signed-payment.ts'
import { broadcastPayment, expiryHeightNow } from '../payment/submit-payment.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { decideOrder } from '../reservation/decide-order.ts'
import { readFacts } from '../reservation/facts-store.ts'
import { type BuyOrder, type Funds, type OrderedItem, type Refusal, refusalFailure, soundItems } from '../reservation/order.ts'
import { decideReservation } from '../reservation/reservation-decision.ts'
import { plannedTransfers, type ReservationDecision, type ReservationFacts } from '../reservation/reservation.ts'
import { insertRefusal, insertReservation } from './co-signed-store.ts'

const TURN_RETRY_SECONDS = 1

/** Of this server, for each chain client. */
const underWay = new WeakMap<Chain, Set<Turn>>()

/**
 * Asks the chain what a payment would do, as soon as it is this wallet's turn.
 * @throws TOO_MANY_REQUESTS if it has one under way, CHAIN_BUSY if others go first, or CHAIN_DOWN: none says anything about the payment
 */
async function simulatePayment(chain: Chain, bytes: Uint8Array, turn: Turn): Promise<Simulation> {
  const turns = underWay.get(chain) ?? new Set<Turn>()
  underWay.set(chain, turns)
  if ([...turns].some(({ buyer }) => buyer === turn.buyer)) throw anotherUnderWay()
  if (!mayBegin([...turns], turn, { saturated: chain.isSaturated() })) throw new Failure('CHAIN_BUSY', { retryAfter: TURN_RETRY_SECONDS })
  turns.add(turn)
  try {
    return await chain.simulate(bytes, { awaitsCoSigner: turn.buyer })
  } finally {
    turns.delete(turn)
  }
}

/** One at a time for each wallet, because each costs a request to the chain and the wallet nothing. */
function anotherUnderWay(): Failure {
  return new Failure('TOO_MANY_REQUESTS', { detail: '1 second', retryAfter: TURN_RETRY_SECONDS })
}

/** What a buyer submits. */
export interface PaymentSubmission {
  buyer: WalletAddress
  items: readonly OrderedItem[]
  reference: WalletAddress
  /** In base64; the buyer's signature in place, the co-signer's empty. */
  transaction: string
  /** The public identifier of the checkout that it pays for. */
  checkout?: string | undefined
}

/** `isNew`: false if the same message was reserved before. */
export interface ReservedPayment {
  purchaseId: string
  signature: Signature
  isNew: boolean
}

/** What the chain says of a payment that was not sent yet. */
interface Checked {
  funds: Funds
  /** The ids of what the buyer had under way before the chain was asked. */
  openBefore: ReadonlySet<string>
  slot: bigint
  genesisHash: string
  expiryHeight: bigint
}

/** Its bytes can land for about a minute, and the listing is free some seconds later. */
const LIVE_SECONDS = 75
/** A refusal whose bytes expired so many blocks before those of another one no longer counts. */
const LONGEST_LIFE_BLOCKS = 2n * BLOCKHASH_BLOCKS
const RETRY_SECONDS = 60

/**
 * Reserves what a signed payment pays for, completes the bytes with the market's signature, and sends them. The same message again gets the
 * same answer. A refusal of bytes that are exactly such a payment is recorded, so that they are never sent.
 *
 * @throws CO_SIGN_OFF, PAYMENT_REFUSED without a record if the bytes are not such a payment; the codes of `Refusal` for good;
 * TOO_MANY_REQUESTS, CHAIN_BUSY, CHAIN_DOWN or DATABASE_DOWN: submit the same bytes again
 */
export async function reservePayment(deps: PurchaseDeps, submission: PaymentSubmission): Promise<ReservedPayment> {
  try {
    const reserved = await reserve(deps, submission)
    if (reserved.isNew) deps.observer?.reserved()
    return reserved
  } catch (error) {
    if (error instanceof Failure) deps.observer?.holdRefused(error.code)
    throw error
  }
}

async function reserve(deps: PurchaseDeps, submission: PaymentSubmission): Promise<ReservedPayment> {
  if (!deps.settings.coSign) return reservedBefore(deps, submission)
  const order = readOrder(deps, submission)
  const { buyer, items, payment, checkout } = order
  const ids = items.map(({ listingId }) => listingId)
  const facts = await readFacts(deps.database, buyer, ids, { payment, checkout })
  const decision = compare(decideReservation(facts, order), order)
  if (decision.kind === 'repeated') return repeated(decision)
  if (decision.kind === 'refused') return refuse(deps, order, decision.refusal)
  await requireFewRefused(deps.chain, facts)
  const simulation = await simulatePayment(deps.chain, payment.bytes, { buyer, hasBought: facts.hasBought })
  if (simulation.kind === 'expired') return refuse(deps, order, { code: 'PAYMENT_EXPIRED' })
  if (simulation.kind === 'fails') return refuse(deps, order, { code: 'PAYMENT_REFUSED', detail: simulation.reason })
  const { slot, balance = 0n } = simulation
  const [genesisHash, expiryHeight] = await Promise.all([deps.chain.genesisHash(), deps.chain.expiryHeight(slot)])
  const funds = await completeFunds(deps.chain, facts, order, {
    slot,
    funds: { spendable: balance, networkFee: CO_SIGNED_FEE_LAMPORTS, rentExemptMinimum: 0n },
  })
  return signAndSend(deps, order, { slot, genesisHash, expiryHeight, funds, openBefore: new Set(facts.open.map(({ id }) => id)) })
}

function readOrder({ settings, coSigners, references }: PurchaseDeps, submission: PaymentSubmission): PaymentOrder {
  const { buyer, checkout } = submission
  const items = soundItems(submission.items)
  const payment = decodeSubmitted(submission, coSigners, references)
  return { kind: 'payment', buyer, items, paysTransfers: true, fee: settings.fee, payment, checkout }
}

/**
 * The answer to a message that a server reserved before it was told not to co-sign any more. Its buyer may not have heard of it, and would
 * pay once more. Read under the wallet's lock, because that server's commit may still be under way.
 * @throws CO_SIGN_OFF to everything else
 */
async function reservedBefore(deps: PurchaseDeps, submission: PaymentSubmission): Promise<ReservedPayment> {
  try {
    const order = readOrder(deps, submission)
    const { decision } = await inTransaction(deps.database, (tx) => decideOrder(tx, order))
    if (decision.kind === 'repeated') return repeated(decision)
  } catch (error) {
    if (!(error instanceof Failure) || errors[error.code].status >= 500) throw error
  }
  throw new Failure('CO_SIGN_OFF')
}

/**
 * Finds out, if it matters, which of the buyer's other payments the chain had carried out before a simulation: what these cost is no longer
 * in the balance that the simulation tells.
 * @throws TOO_MANY_REQUESTS if one was carried out about then, so that nobody can tell
 */
async function completeFunds(
  chain: Chain,
  facts: ReservationFacts,
  order: PaymentOrder,
  { slot, funds }: { slot: bigint; funds: Funds },
): Promise<Funds> {
  const decision = decideReservation(facts, { ...order, funds })
  if (decision.kind !== 'refused' || decision.refusal.code !== 'INSUFFICIENT_SOL') return funds
  const recorded = facts.open.flatMap(({ id, signature }) => (signature === null ? [] : [{ id, signature }]))
  // The endpoint that simulated may be ahead of another one.
  const signatures = recorded.map(({ signature }) => signature)
  const statuses = await chain.statuses(signatures, { everywhere: true })
  if ([...statuses.values()].some((status) => status.slot >= slot)) throw anotherUnderWay()
  const landed = recorded.filter(({ signature }) => statuses.has(signature))
  return { ...funds, paid: new Set(landed.map(({ id }) => id)) }
}

type PaymentOrder = BuyOrder & { payment: SubmittedPayment }

/** Completes the bytes inside the transaction that reserves. They leave this process only after its commit. */
async function signAndSend(deps: PurchaseDeps, order: PaymentOrder, checked: Checked): Promise<ReservedPayment> {
  const { buyer, fee, payment } = order
  const { bytes, transaction, coSigner, signature, messageHash, reference } = payment
  const { funds, openBefore, ...landing } = checked
  const outcome = await inTransaction(deps.database, async (tx) => {
    const { decision: decided, facts } = await decideOrder(tx, { ...order, funds })
    const decision = compare(decided, order)
    if (decision.kind === 'repeated') return decision
    if (decision.kind === 'refused') {
      // The balance may lack what a newer purchase has cost already, and then nobody can tell.
      const isNewer = decision.refusal.code === 'INSUFFICIENT_SOL' && facts.open.some(({ id }) => !openBefore.has(id))
      if (isNewer) throw anotherUnderWay()
      return record(deps, tx, order, decision.refusal, { facts, expiryHeight: checked.expiryHeight })
    }
    const complete = withSignature(bytes, coSigner, deps.coSigners.sign(coSigner, transaction.message))
    const transactionBytes = Buffer.from(complete)
    const named = { buyer, fee, reference, signature, messageHash, transactionBytes, liveSeconds: LIVE_SECONDS }
    const purchaseId = await insertReservation(tx, decision.plan, { ...landing, ...named })
    if (facts.checkout) await beginCheckout(tx, facts.checkout.id, purchaseId)
    return { kind: 'reserved' as const, purchaseId, transactionBytes }
  })
  if (outcome.kind === 'repeated') return repeated(outcome)
  if (outcome.kind === 'refused') throw refusalFailure(outcome.refusal, deps.catalogue)
  const { purchaseId, transactionBytes } = outcome
  await broadcastPayment(
    deps,
    { id: purchaseId, buyer },
    { kind: 'purchase', signature, transactionBytes, genesisHash: checked.genesisHash },
  )
  return { purchaseId, signature, isNew: true }
}

/** A payment that differs from what its items cost now is refused, too. */
function compare(decision: ReservationDecision, { buyer, fee, payment }: PaymentOrder): ReservationDecision {
  if (decision.kind !== 'reserve') return decision
  const difference = differenceFrom(payment, buyer, plannedTransfers(decision.plan, fee.wallet))
  if (!difference) return decision
  if (difference.kind === 'price') return { kind: 'refused', refusal: { code: 'PRICE_MOVED' } }
  // Bytes that are not this payment can be no mistake of ours, so they are not worth a record.
  throw new Failure('PAYMENT_REFUSED', { detail: difference.flaw })
}

function repeated({ purchaseId, signature }: Extract<ReservationDecision, { kind: 'repeated' }>): ReservedPayment {
  if (signature === undefined) throw new Error('only a payment is repeated by its message')
  return { purchaseId, signature, isNew: false }
}

/** Refuses for good, unless the same message was answered meanwhile. */
async function refuse(deps: PurchaseDeps, order: PaymentOrder, refusal: Refusal): Promise<ReservedPayment> {
  if (!isFinal(refusal)) throw refusalFailure(refusal, deps.catalogue)
  const expiryHeight = await expiryHeightNow(deps.chain)
  const outcome = await inTransaction(deps.database, async (tx) => {
    const { decision, facts } = await decideOrder(tx, order)
    return decision.kind === 'repeated' ? decision : record(deps, tx, order, refusal, { facts, expiryHeight })
  })
  if (outcome.kind === 'repeated') return repeated(outcome)
  throw refusalFailure(outcome.refusal, deps.catalogue)
}

/** Before the chain is asked, which costs the market a request and the wallet nothing. */
async function requireFewRefused(chain: Chain, facts: ReservationFacts): Promise<void> {
  if ((facts.known?.refusals.length ?? 0) >= MAX_REFUSED_PAYMENTS) requireFew(facts, await expiryHeightNow(chain))
}

/** Counts the buyer's refusals that may still land at a height. */
function requireFew({ known }: ReservationFacts, expiryHeight: bigint): void {
  const live = known?.refusals.filter((height) => height + LONGEST_LIFE_BLOCKS >= expiryHeight) ?? []
  if (live.length >= MAX_REFUSED_PAYMENTS) throw new Failure('TOO_MANY_REQUESTS', { detail: 'a minute', retryAfter: RETRY_SECONDS })
}

/** A pause is, although its status is 503: the market may have been closed for a reason. */
function isFinal({ code }: Refusal): boolean {
  const { status } = errors[code]
  return code === 'PAUSED' || (status < 500 && status !== 429)
}

/**
 * Records a refusal under the wallet's lock. The same message was refused before, or is from now on.
 * @throws TOO_MANY_REQUESTS if the buyer has too many of them
 */
async function record(
  { catalogue }: PurchaseDeps,
  tx: Tx,
  { buyer, payment }: PaymentOrder,
  refusal: Refusal,
  { facts, expiryHeight }: { facts: ReservationFacts; expiryHeight: bigint },
): Promise<{ kind: 'refused'; refusal: Refusal }> {
  const { known, checkout } = facts
  if (known?.refused || !isFinal(refusal)) return { kind: 'refused', refusal: known?.refused ?? refusal }
  requireFew(facts, expiryHeight)
  const { detail, listingId } = refusalFailure(refusal, catalogue)
  await insertRefusal(tx, buyer, payment, { code: refusal.code, detail, listingId }, { expiryHeight, checkoutId: checkout?.id })
  return { kind: 'refused', refusal: { ...refusal, detail } }
}

/** Wallets that never completed a purchase get at most one in so many simulations while others wait. */
const SHARE_OF_NEWCOMERS = 3

/** A simulation under way, or about to be. */
export interface Turn {
  buyer: WalletAddress
  hasBought: boolean
}

/**
 * Whether one more simulation may begin: while requests wait, wallets that never completed a purchase leave most of them to the others. One
 * of them may always begin.
 */
export function mayBegin(underWay: readonly Turn[], next: Turn, { saturated }: { saturated: boolean }): boolean {
  if (next.hasBought || !saturated) return true
  const newcomers = underWay.filter(({ hasBought }) => !hasBought).length
  return newcomers === 0 || (newcomers + 1) * SHARE_OF_NEWCOMERS <= underWay.length + 1
}
