import { type Signature } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { BLOCKHASH_BLOCKS, type Chain, type LandedTransaction, type SignatureEntry } from '../../chain/chain.ts'
import { readAvailability, listSeenRefunds } from '../cases/seen-refund-store.ts'
import { type PaymentTerms, verifyPayment, ambiguousReferences } from '../payment/landed-payment.ts'
import { type CaseSubject, isMentioned, MENTIONS, oldestMentions, UNSEEN_SECONDS } from '../cases/case.ts'
import { asSeen } from '../cases/record-seen-refunds.ts'
import { requireSubject } from '../cases/refund-case.ts'
import { findPayment, findRefund } from '../payment/payment-store.ts'
import { findReferences } from '../payment/reference-store.ts'
import { isOutOfReach, RELEASE_MARGIN_BLOCKS } from '../purchase/purchase.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import {
  ALONE_SECONDS,
  loweredHeight,
  mayWait,
  paymentStatuses,
  readFinality,
  waitsForSecond,
  waitsForSilent,
} from '../purchase/wait-for-endpoints.ts'
import { type PurchaseRow } from '../purchase/purchase-store.ts'
import { candidateOf, verifyCandidate } from '../settlement/settle-payment.ts'
import {
  type CaseSnapshot,
  caseStateOf,
  type DeliveryReading,
  type PaymentReading,
  type PreparedRefund,
  type RefundReading,
} from './case-decision.ts'
import { hasLanded } from './purchase-decision.ts'
import { admitCandidate, isProvedExpired, isRuledOut, MOST_PAGES, ruleOut } from './prove-expired.ts'
import { type DueCase } from './reconciliation-store.ts'

/**
 * Reads everything that the state of a case needs from the database and the chain. Writes nothing.
 * @throws CHAIN_DOWN
 */
export async function readCaseSnapshot(deps: PurchaseDeps, row: DueCase): Promise<CaseSnapshot> {
  const subject = await requireSubject(deps.database, row)
  const state = caseStateOf(row, subject, await deps.chain.genesisHash())
  if (state === 'refunding') return { row, subject, state, refund: await readRefund(deps, row, subject) }
  if (state !== 'open') return { row, subject, state }
  const payment = row.paymentFinal || subject.id === null ? undefined : await readPayment(deps, row, subject)
  if (payment === 'dropped') return { row, subject, state, payment }
  const prepared = await readPrepared(deps, row, subject)
  const mayDeliver = row.deliverable && subject.id !== null && (prepared.kind === 'none' || prepared.kind === 'expired')
  return {
    row,
    subject,
    state,
    prepared,
    ...(payment && { payment }),
    ...(mayDeliver && { delivery: await readDelivery(deps, row, subject) }),
  }
}

/** Whether the payment of a case is final, or the chain has dropped it for good. */
async function readPayment(
  { chain, database }: PurchaseDeps,
  { id, signature, secondsOpen }: DueCase,
  { reference, buyer, heldAtSlot }: PurchaseRow,
): Promise<PaymentReading> {
  const status = await readFinality(chain, signature, { isPayment: true })
  if (status?.failed) return status.commitment === 'finalized' ? 'dropped' : 'mayVanish'
  if (status?.commitment === 'finalized') return 'final'
  if (secondsOpen > UNSEEN_SECONDS) return 'final'
  const payment = status ? undefined : await findPayment(database, signature)
  if (!payment) return 'mayVanish'
  const traces = [reference, buyer].map((address) => ({ address, sinceSlot: heldAtSlot }))
  if (!(await isProvedExpired(chain, await chain.finalized(), payment, traces))) return 'mayVanish'
  // Nothing follows a case that is closed, so every endpoint is asked, whatever slot one has told.
  for (const { address } of traces) {
    const listed = await chain.recentSignatures(address, 0n, MENTIONS, { everywhere: true })
    if (listed.some((entry) => entry.signature === signature && !entry.failed)) return 'mayVanish'
  }
  return waitsForSilent(chain, `${id} payment silent`, [reference, buyer, signature]) ? 'mayVanish' : 'dropped'
}

async function readRefund(deps: PurchaseDeps, row: DueCase, subject: CaseSubject): Promise<RefundReading | undefined> {
  const { chain, database } = deps
  const payment = await findRefund(database, row.id)
  if (!payment) return undefined
  const status = await readFinality(chain, payment.signature, { isPayment: false })
  if (status?.failed && status.commitment === 'finalized') {
    return { payment, status, expired: false, landed: { slot: status.slot, paysBack: false } }
  }
  if (status?.commitment === 'finalized') {
    const transaction = await chain.transaction(payment.signature)
    const isSure = transaction && !waitsForSecond(chain, transaction) && transaction.doubt !== 'disputed'
    const landed = isSure ? { slot: transaction.slot, paysBack: await paysBack(deps, transaction, row, subject) } : undefined
    return { payment, status, expired: false, landed }
  }
  if (hasLanded(status)) return { payment, status, expired: false, landed: undefined }
  // Without its traces, because the endpoint may have dropped what is as old as the purchase: once the case is open again, the reference of
  // the refund is searched on every endpoint.
  const finalized = await chain.finalized()
  if (isOutOfReach(payment.expiryHeight, finalized.height)) {
    const expiryHeight = loweredHeight(chain, row.id, payment.expiryHeight, await chain.highestBlockHeight())
    return { payment, status, expired: false, landed: undefined, ...(expiryHeight !== undefined && { expiryHeight }) }
  }
  return { payment, status, expired: await isProvedExpired(chain, finalized, payment, []), landed: undefined }
}

async function readPrepared(deps: PurchaseDeps, row: DueCase, subject: CaseSubject): Promise<PreparedRefund> {
  const { chain, database } = deps
  const { refundReference, refundExpiryHeight } = row
  if (refundReference === null) return { kind: 'none' }
  const recent = await chain.recentSignatures(refundReference, 0n, MENTIONS)
  const mentions = oldestMentions(recent)
  const landed = await findRefundAmong(deps, mentions, row, subject)
  if (landed) return landed
  if (refundExpiryHeight === null && isMentioned(recent)) return { kind: 'unclear', mentions: await asSeen(chain, mentions) }
  const seen = await listSeenRefunds(database, row.id)
  const heights = [refundExpiryHeight ?? [], ...seen.map(({ expiryHeight }) => expiryHeight)].flat()
  if (heights.length === 0) return { kind: 'none' }
  const finalized = await chain.finalized()
  const highest = heights.reduce((most, height) => (height > most ? height : most))
  if (isOutOfReach(highest, finalized.height)) {
    const lowered = loweredHeight(chain, row.id, highest, await chain.highestBlockHeight())
    // A wallet that still has it may renew its blockhash.
    return { kind: 'possible', ...(lowered !== undefined && { expiryHeight: lowered + BLOCKHASH_BLOCKS }) }
  }
  const isPast = heights.every((height) => finalized.height > height + RELEASE_MARGIN_BLOCKS)
  if (finalized.genesisHash !== subject.genesisHash || !isPast) return { kind: 'possible' }
  // Before it is taken for expired, every endpoint is asked: a refund counts even if only one of them shows it.
  const own = await finalized.history(refundReference, { sinceSlot: subject.heldAtSlot, pages: MOST_PAGES })
  if (own.kind === 'part' && own.older !== undefined) return { kind: 'possible' }
  const listed = [
    // An endpoint may have dropped what is as old as the purchase.
    ...(own.kind === 'part' ? own.entries : []),
    ...(await chain.recentSignatures(refundReference, 0n, MENTIONS, { everywhere: true })),
  ]
  const all = [...new Map(listed.map((entry) => [entry.signature, entry])).values()].toSorted((a, b) => Number(b.slot - a.slot))
  const gone = seen.map(({ signature }) => signature).filter((signature) => !all.some((entry) => entry.signature === signature))
  const refund = await findRefundAmong(deps, oldestMentions(all), row, subject)
  if (refund) return refund
  return waitsForSilent(chain, `${row.id} ${refundExpiryHeight} silent`, [refundReference])
    ? { kind: 'possible' }
    : { kind: 'expired', seen: gone }
}

async function findRefundAmong(
  deps: PurchaseDeps,
  entries: readonly SignatureEntry[],
  row: DueCase,
  subject: CaseSubject,
): Promise<PreparedRefund | undefined> {
  for (const { signature, failed } of entries) {
    if (failed || isRuledOut(deps.chain, row.id, signature)) continue
    if (!(await admitCandidate(deps.chain, row.id))) return { kind: 'possible' }
    const transaction = await deps.chain.transaction(signature, { candidate: true })
    if (!transaction && (await isInvented(deps.chain, signature))) continue
    // It landed, so it may be the refund. That no endpoint shows it proves nothing.
    if (!transaction) throw new Failure('CHAIN_DOWN')
    // Its signers are certain, and only its seller's can be the refund.
    const doubt = transaction.signers.includes(row.seller ?? '') ? transaction.doubt : undefined
    if (waitsForSecond(deps.chain, { signature, doubt }) || doubt === 'disputed') return { kind: 'possible' }
    if (await paysBack(deps, transaction, row, subject)) return describeLanded(deps, transaction)
    // What it contains never changes, but whether it failed may.
    if (!transaction.failed && !doubt) ruleOut(deps.chain, row.id, signature)
  }
  return undefined
}

/** Whether a signature is listed and nothing else: every endpoint answers, and for a quarter of an hour none has known it or shown it. */
async function isInvented(chain: Chain, signature: Signature): Promise<boolean> {
  const isKnown = (await chain.statuses([signature], { everywhere: true })).has(signature)
  return !isKnown && chain.isWhole(signature) && !mayWait(chain, `${signature} shown`, ALONE_SECONDS)
}

async function describeLanded({ chain, database }: PurchaseDeps, transaction: LandedTransaction): Promise<PreparedRefund> {
  const { signature } = transaction
  const recordedElsewhere = (await findPayment(database, signature)) !== undefined
  const status = recordedElsewhere ? await readFinality(chain, signature, { isPayment: false }) : undefined
  const expiryHeight = await chain.expiryHeight(transaction.slot)
  return { kind: 'landed', transaction, expiryHeight, recordedElsewhere, finalized: status?.commitment === 'finalized' }
}

/** Whether a transaction contains the refund prepared for this case, perhaps together with other transfers by its seller. */
async function paysBack(
  { database }: PurchaseDeps,
  transaction: LandedTransaction,
  { seller, lamports, refundReference }: DueCase,
  { buyer }: CaseSubject,
): Promise<boolean> {
  if (seller === null) return false
  const transfers = [{ to: buyer, lamports }]
  const terms: PaymentTerms = { buyer: seller, transfers, reference: refundReference ?? '', heldAtSlot: 0n }
  const knownReferences = await findReferences(database, ambiguousReferences(transaction))
  const verdict = verifyPayment(transaction, terms, knownReferences)
  if (verdict.kind === 'pays') return verdict.referenced
  return verdict.kind === 'wrong' && verdict.received.some(({ referencedLamports }) => referencedLamports === lamports)
}

async function readDelivery(deps: PurchaseDeps, { signature }: DueCase, purchase: PurchaseRow): Promise<DeliveryReading> {
  const availability = await readAvailability(deps.database, purchase.id, signature)
  if (availability !== 'free') return { listing: availability }
  const status = (await paymentStatuses(deps, [signature])).get(signature)
  return { listing: 'free', purchase, candidate: await verifyCandidate(deps, purchase, candidateOf(deps.chain, signature, status)) }
}
