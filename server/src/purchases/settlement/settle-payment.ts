import { type Signature } from '@juicebar/contract/addresses'

import { type Chain, type LandedTransaction, type SignatureStatus, type SlotsTold, type ReadOptions } from '../../chain/chain.ts'
import { inTransaction } from '../../database/transact.ts'
import { logCase, openCase, tellDropped, type UnmatchedPayment } from '../cases/open-case.ts'
import { recordSeenRefunds } from '../cases/record-seen-refunds.ts'
import { endedBeforeRewind } from '../cases/seen-refund-store.ts'
import { ambiguousReferences, receivedAsAgreed } from '../payment/landed-payment.ts'
import { expectedPaymentOf, type RecordedPayment, settlesOnStatus, termsOf } from '../payment/payment-terms.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { findReferences } from '../payment/reference-store.ts'
import { paymentKeys } from '../purchase/co-signer.ts'
import { type PurchaseDeps, type SettledPurchase } from '../purchase/purchase-deps.ts'
import { findPurchase, lowerHeldAtSlot, type PurchaseRow } from '../purchase/purchase-store.ts'
import { mayWait, waitsForSecond } from '../purchase/wait-for-endpoints.ts'
import { purchaseFields } from '../purchase/purchase-wait.ts'
import { APART_SLOTS, correctedSlot, isSettled } from '../purchase/purchase.ts'
import { ageOf, type CandidateReading, type CandidateVerdict, verdictOf, type VerifiedCandidate } from './candidate.ts'
import { type DeliveredCase, listHoldsBetween, noteConfirmed, replacePayment, settlePurchase } from './settlement-store.ts'

/**
 * settled: the tokens are the buyer's. pending, failed, unrelated: see `CandidateVerdict`. used: the transaction served another
 * purpose. case: the SOL moved but could not be delivered; both sides see why.
 */
export type PaymentOutcome =
  | { kind: 'settled'; settled: SettledColumns }
  /** `confirmedAt`: set if the landing of the payment is new. */
  | { kind: 'pending'; confirmedAt?: Date }
  | { kind: 'failed' }
  | { kind: 'used' }
  | { kind: 'unrelated'; reason: string; permanent: boolean }
  | { kind: 'case'; reason: string }

/** What settling changes about a purchase. */
type SettledColumns = Pick<PurchaseRow, 'status' | 'endReason' | 'signature' | 'settledAt'>

type SettlementDeps = Pick<PurchaseDeps, 'database' | 'coSigners' | 'log' | 'observer'>

/**
 * The only way to settle a purchase, whether the buyer's client or reconciliation found the payment. Writes the consequences of the
 * candidate's verdict in one database transaction. Safe to repeat at any time.
 */
export async function settlePayment(deps: SettlementDeps, purchase: PurchaseRow, candidate: VerifiedCandidate): Promise<PaymentOutcome> {
  const { verdict, signature } = candidate
  switch (verdict.kind) {
    case 'pending':
      return { kind: 'pending', ...(await showLanding(deps, signature, verdict.landedAt)) }
    case 'failed':
      return { kind: 'failed' }
    case 'unrelated':
      return verdict
    case 'pays':
      return deliver(deps, purchase, candidate, verdict)
    case 'wrong':
      return reportUnmatched(deps, purchase, candidate, { ...verdict, kind: 'wrong', reason: `${verdict.reason}.` })
  }
}

/** Shows the buyer that the payment landed, while it does not count yet. */
async function showLanding({ database }: SettlementDeps, signature: Signature, slot: bigint | undefined): Promise<{ confirmedAt?: Date }> {
  const confirmedAt = slot === undefined ? undefined : await noteConfirmed(database, signature, slot)
  return confirmedAt ? { confirmedAt } : {}
}

/** Replaces the slot of a purchase that an endpoint has told too high, and says so in the log. */
export async function correctHeldAtSlot({ database, log }: SettlementDeps, purchase: PurchaseRow, slot: bigint): Promise<void> {
  if (!(await lowerHeldAtSlot(database, purchase, slot))) return
  log.warn(purchaseFields(purchase, { waitingFor: null }), 'a hold was placed in a slot that the chain has not reached; it was lowered')
}

/** The database moves the tokens; a payment that it refuses becomes a case that both sides see. */
async function deliver(
  deps: SettlementDeps,
  purchase: PurchaseRow,
  candidate: VerifiedCandidate,
  { referenced }: Extract<CandidateVerdict, { kind: 'pays' }>,
): Promise<PaymentOutcome> {
  const { signature, heldAtSlot } = candidate
  const startedAt = performance.now()
  if (heldAtSlot !== undefined) await correctHeldAtSlot(deps, purchase, heldAtSlot)
  const { outcome, settledAt, isNews, delivered, confirmedSeconds, submittedSeconds } = await settlePurchase(deps.database, purchase.id, {
    ...landingOf(candidate),
    referenced: referenced && !candidate.onlyRefunded,
  })
  // Without an earlier record, the payment was seen confirmed just now.
  const secondsSinceConfirmed = confirmedSeconds ?? (performance.now() - startedAt) / 1_000
  if (isNews) logSale(deps, purchase, signature, { secondsSinceConfirmed, secondsSinceSubmitted: submittedSeconds })
  logDelivered(deps, purchase, signature, delivered)
  const moved = { referenced, received: receivedAsAgreed(termsOf(purchase), { referenced }), paidPurchase: undefined }
  const report = (kind: Unmatched['kind'], reason: string) => reportUnmatched(deps, purchase, candidate, { ...moved, kind, reason })
  switch (outcome) {
    case 'settled':
      return { kind: 'settled', settled: { status: 'settled', endReason: null, signature, settledAt } }
    case 'refunding':
      return { kind: 'case', reason: 'it can no longer be delivered.' }
    case 'signature_used':
      return report('wrong', 'its transaction paid for something else as well.')
    case 'listing_gone':
      return report('late', 'it arrived after the time to pay had run out.')
    case 'paid_before':
      return report('double', 'it was already paid for.')
  }
}

/**
 * Lets a verified payment count in place of the one that the chain has dropped for good.
 * @returns whether it can
 */
export async function letCount(
  deps: SettlementDeps,
  purchase: PurchaseRow,
  dropped: Pick<PaymentRow, 'signature' | 'transactionBytes'>,
  candidate: VerifiedCandidate,
): Promise<boolean> {
  const { signature, heldAtSlot } = candidate
  if (heldAtSlot !== undefined) await correctHeldAtSlot(deps, purchase, heldAtSlot)
  const closed = await inTransaction(deps.database, async (tx) => {
    const replaced = await replacePayment(tx, purchase.id, dropped.signature, landingOf(candidate))
    if (replaced) await tellDropped(deps, tx, dropped)
    return replaced
  })
  if (!closed) return false
  const fields = { ...purchaseFields(purchase, { waitingFor: 'its payment to be finalized' }), transaction: signature }
  deps.log.warn(fields, 'the chain dropped the payment of a purchase, and another one counts instead')
  logDelivered(deps, purchase, signature, closed)
  return true
}

function logDelivered(deps: SettlementDeps, purchase: PurchaseRow, signature: Signature, delivered: readonly DeliveredCase[]): void {
  for (const each of delivered) logCase(deps, 'closed', { ...each, status: 'delivered', signature, deliverable: true }, purchase)
}

interface Unmatched extends Pick<UnmatchedPayment, 'kind' | 'referenced' | 'received' | 'paidPurchase'> {
  reason: string
}

/** SOL that moved without a delivery becomes a case, unless it carries no reference and pays for another hold of its buyer. */
async function reportUnmatched(
  deps: SettlementDeps,
  purchase: PurchaseRow,
  candidate: VerifiedCandidate,
  { reason, ...moved }: Unmatched,
): Promise<PaymentOutcome> {
  if (candidate.paysAnotherHold) return { kind: 'unrelated', reason: 'it pays for another listing that you hold', permanent: false }
  const deliverable = moved.kind === 'late' && moved.referenced && !candidate.onlyRefunded
  const final = candidate.status?.commitment === 'finalized'
  const outcome = await openCase(deps, { ...moved, purchase, payment: landingOf(candidate), final, deliverable })
  if (outcome === 'settled') return { kind: 'settled', settled: await requirePurchase(deps, purchase.id) }
  return outcome === 'open' ? { kind: 'case', reason } : { kind: outcome }
}

async function requirePurchase({ database }: SettlementDeps, id: string): Promise<PurchaseRow> {
  const purchase = await findPurchase(database, id)
  if (!purchase) throw new Error(`purchase ${id} is missing`)
  return purchase
}

/** The record of a candidate that was verified to pay, or to be wrong. */
function landingOf({ landing, signature }: VerifiedCandidate) {
  if (!landing) throw new Error(`candidate ${signature} was verified without its landing`)
  return landing
}

/** A transaction that may pay for a purchase. */
export interface Candidate {
  signature: Signature
  /** Its latest status from the chain. */
  status: SignatureStatus | undefined
  submittedByBuyer: boolean
  /** Set if a server checked and recorded the transaction before it was broadcast. */
  recorded: RecordedPayment | undefined
  /** The transaction itself, read once, however many purchases it is verified for. */
  read(): Promise<LandedTransaction | undefined>
  /** The slots that endpoints tell for it, read once as well. */
  readSlots(): Promise<SlotsTold>
}

interface CandidateOptions extends Pick<ReadOptions, 'spare' | 'candidate'> {
  submittedByBuyer?: boolean
  recorded?: RecordedPayment | undefined
  /** May throw to refuse the chain request that reading the transaction costs. */
  admit?: () => Promise<void>
}

export function candidateOf(
  chain: Chain,
  signature: Signature,
  status: SignatureStatus | undefined,
  { submittedByBuyer = false, recorded, admit = async () => {}, ...options }: CandidateOptions = {},
): Candidate {
  let transaction: Promise<LandedTransaction | undefined> | undefined
  let slots: Promise<SlotsTold> | undefined
  const read = () => (transaction ??= admit().then(() => chain.transaction(signature, options)))
  return { signature, status, submittedByBuyer, recorded, read, readSlots: () => (slots ??= chain.landedSlots(signature, options)) }
}

/**
 * Verifies a candidate for a purchase, after reading everything needed for that and for settling the purchase or opening a case. Writes
 * nothing but the refunds that it sees.
 * @throws CHAIN_DOWN, and what the candidate's `admit` throws
 */
export async function verifyCandidate(deps: PurchaseDeps, purchase: PurchaseRow, candidate: Candidate): Promise<VerifiedCandidate> {
  const { database, chain, settings } = deps
  const { signature, status, submittedByBuyer } = candidate
  if (purchase.genesisHash !== (await chain.genesisHash())) {
    const verdict: CandidateVerdict = { kind: 'unrelated', reason: 'it is from another chain', permanent: false }
    return { signature, status, verdict, paysAnotherHold: false }
  }
  const mayCount = status !== undefined && !status.failed && isSettled(status.commitment, settings.settleAt)
  const known = mayCount ? knownLanding(deps, purchase, candidate, status) : undefined
  if (known) return { signature, status, verdict: { kind: 'pays', referenced: true }, landing: known, paysAnotherHold: false }
  const shown = mayCount ? await candidate.read() : undefined
  // Its signers are certain.
  const doubt = shown?.signers.includes(purchase.buyer) ? shown.doubt : undefined
  const waits = shown !== undefined && waitsForSecond(chain, { signature, doubt })
  if (doubt === 'disputed' && !waits) return { signature, status, verdict: disputed, paysAnotherHold: false }
  const transaction = waits ? undefined : shown
  const knownReferences = await findReferences(database, transaction ? ambiguousReferences(transaction) : [])
  const reading = { status, transaction, knownReferences, submittedByBuyer }
  const { verdict: told, heldAtSlot } = await decideAge(deps, purchase, candidate, reading)
  // One that was silent may show later that it succeeded.
  const verdict = told.kind === 'unrelated' && doubt && shown?.failed ? { ...told, permanent: false } : told
  if (!transaction || (verdict.kind !== 'pays' && verdict.kind !== 'wrong')) return { signature, status, verdict, paysAnotherHold: false }
  const mayReplace = purchase.status === 'settled' && !submittedByBuyer
  const isLate = verdict.kind === 'pays' && (purchase.status === 'ended' || mayReplace)
  if (isLate && (await recordSeenRefunds(deps, purchase.id, signature)))
    return { signature, status, verdict: paidBack, paysAnotherHold: false }
  const [landing, paysAnotherHold, onlyRefunded] = await Promise.all([
    readLanding(chain, transaction),
    verdict.referenced ? false : isForAnotherHold(deps, purchase, { status, transaction, knownReferences }),
    isLate && endedBeforeRewind(database, purchase.id),
  ])
  return { signature, status, verdict, landing, paysAnotherHold, onlyRefunded, heldAtSlot }
}

/** How long a transaction that looks older than its purchase waits for endpoints that have not told its slot: no hold stays for ever. */
const AGE_MINUTES = 15

/**
 * The verdict on a candidate. What has no reference must have landed since the hold was placed: it is decided again if that is said to be in
 * a slot far above the chain, or if the candidate looks older, by the slots that all endpoints tell.
 */
async function decideAge({ chain }: PurchaseDeps, purchase: PurchaseRow, candidate: Candidate, reading: CandidateReading) {
  const { transaction } = reading
  const terms = { ...termsOf(purchase), needsReference: purchase.needsReference, hasEnded: purchase.status === 'ended' }
  const verdict = verdictOf(terms, reading)
  if (!transaction || !dependsOnAge(verdict)) return { verdict, heldAtSlot: undefined }
  const lowered = await loweredSlot(chain, purchase)
  const heldAtSlot = lowered ?? purchase.heldAtSlot
  const decide = (again: CandidateReading) => ({ verdict: verdictOf({ ...terms, heldAtSlot }, again), heldAtSlot: lowered })
  const decided = decide(reading)
  if (!('looksOlder' in decided.verdict)) return decided
  const age = ageOf(await candidate.readSlots(), heldAtSlot)
  if (age === 'newer') return decide({ ...reading, transaction: { ...transaction, slot: heldAtSlot } })
  const isDecisive = age === 'older' || mayWait(chain, `${purchase.id} ${candidate.signature}`, AGE_MINUTES * 60)
  return decide({ ...reading, age: isDecisive ? age : undefined })
}

/** How far the clocks of server and database may differ. */
const CLOCK_SECONDS = 60

/** The slot to keep for a purchase that was placed far above any that this server has seen; undefined if the one that is kept may be right. */
async function loweredSlot(
  chain: Chain,
  { heldAtSlot, createdAt }: Pick<PurchaseRow, 'heldAtSlot' | 'createdAt'>,
): Promise<bigint | undefined> {
  const highest = await chain.highestSlot()
  const ageSeconds = Math.max(0, (Date.now() - createdAt.getTime()) / 1_000) + CLOCK_SECONDS
  return heldAtSlot > highest + APART_SLOTS ? correctedSlot({ heldAtSlot, ageSeconds }, highest) : undefined
}

function dependsOnAge(verdict: CandidateVerdict): boolean {
  return 'looksOlder' in verdict || ('referenced' in verdict && !verdict.referenced)
}

const disputed: CandidateVerdict = {
  kind: 'unrelated',
  reason: 'the endpoints of the network disagree about what it pays',
  permanent: false,
}
/** Its case follows the refund. */
const paidBack: CandidateVerdict = { kind: 'unrelated', reason: 'its seller is sending the SOL back', permanent: false }

/** The landing of a recorded payment whose status alone is enough. */
function knownLanding({ coSigners }: PurchaseDeps, purchase: PurchaseRow, { recorded }: Candidate, { slot }: SignatureStatus) {
  if (recorded?.purchaseId !== purchase.id) return undefined
  const keys = purchase.coSigned ? paymentKeys(coSigners) : undefined
  if (!settlesOnStatus(recorded, expectedPaymentOf(purchase), keys)) return undefined
  const { signature, transactionBytes, expiryHeight } = recorded
  return { signature, slot, transactionBytes, expiryHeight }
}

/** The record of a landed transaction. Its blockhash was valid where it landed, which bounds the height up to which it could land again. */
async function readLanding(chain: Chain, { signature, slot, bytes }: LandedTransaction) {
  return { signature, slot, transactionBytes: Buffer.from(bytes), expiryHeight: await chain.expiryHeight(slot) }
}

/** Whether a transaction without a reference would count for another hold: then its SOL waits for that one. */
async function isForAnotherHold(
  { database, chain }: PurchaseDeps,
  purchase: PurchaseRow,
  reading: Omit<CandidateReading, 'submittedByBuyer'>,
): Promise<boolean> {
  for (const { needsReference, ...other } of await listHoldsBetween(database, purchase)) {
    const heldAtSlot = (await loweredSlot(chain, other)) ?? other.heldAtSlot
    const verdict = verdictOf({ ...termsOf(other), heldAtSlot, needsReference, hasEnded: false }, { ...reading, submittedByBuyer: false })
    if (verdict.kind === 'pays' || (verdict.kind === 'wrong' && verdict.complete)) return true
  }
  return false
}

/** Who is notified of changes. */
type Told = Pick<PurchaseDeps, 'log' | 'observer'>

/** How long a payment took to be delivered. */
type DeliveryTimes = Pick<SettledPurchase, 'secondsSinceConfirmed' | 'secondsSinceSubmitted'>

/** One line for each sale, from the server that committed it. */
function logSale({ log, observer }: Told, purchase: PurchaseRow, signature: string, times: DeliveryTimes): void {
  const { items, priceLamports, feeLamports } = purchase
  const sold = items.map(({ seller, listingId: listing, tokenType, amount, lamports }) => ({
    seller,
    listing,
    tokenType,
    amount,
    lamports,
  }))
  const paid = { lamports: String(priceLamports), fee: String(feeLamports), transaction: signature }
  log.info({ ...purchaseFields(purchase, { waitingFor: 'its payment to be finalized' }), items: sold, ...paid }, 'a sale')
  observer?.settled({ tokenTypes: items.map(({ tokenType }) => tokenType), priceLamports, ...times })
}
