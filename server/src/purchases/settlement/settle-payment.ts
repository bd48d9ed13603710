import { type Signature } from '@juicebar/contract/addresses'

import { openCase, type UnmatchedPayment } from '../cases/open-case.ts'
import { receivedAsAgreed } from '../payment/landed-payment.ts'
import { termsOf } from '../payment/payment-terms.ts'
import { logCase, logSale } from '../log-changes.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { findPurchase, type PurchaseRow } from '../purchase-store.ts'
import { type CandidateVerdict, type VerifiedCandidate } from './candidate.ts'
import { noteConfirmed, settlePurchase } from './settlement-store.ts'

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

/** The database moves the tokens; a payment that it refuses becomes a case that both sides see. */
async function deliver(
  deps: SettlementDeps,
  purchase: PurchaseRow,
  candidate: VerifiedCandidate,
  { referenced }: Extract<CandidateVerdict, { kind: 'pays' }>,
): Promise<PaymentOutcome> {
  const { signature } = candidate
  const startedAt = performance.now()
  const { outcome, settledAt, isNews, delivered, confirmedSeconds, submittedSeconds } = await settlePurchase(deps.database, purchase.id, {
    ...landingOf(candidate),
    referenced: referenced && !candidate.onlyRefunded,
  })
  // Without an earlier record, the payment was seen confirmed just now.
  const secondsSinceConfirmed = confirmedSeconds ?? (performance.now() - startedAt) / 1_000
  if (isNews) logSale(deps, purchase, signature, { secondsSinceConfirmed, secondsSinceSubmitted: submittedSeconds })
  for (const each of delivered) logCase(deps, 'closed', { ...each, status: 'delivered', signature, deliverable: true }, purchase)
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
  if (candidate.paysAnotherHold) return { kind: 'unrelated', reason: 'it pays for another lot that you hold', permanent: false }
  const deliverable = moved.kind === 'late' && moved.referenced && !candidate.onlyRefunded
  const outcome = await openCase(deps, { ...moved, purchase, payment: landingOf(candidate), deliverable })
  if (outcome === 'settled') return { kind: 'settled', settled: await requirePurchase(deps, purchase.id) }
  return outcome === 'open' ? { kind: 'case', reason } : { kind: outcome }
}

async function requirePurchase({ database }: SettlementDeps, id: string): Promise<PurchaseRow> {
  const purchase = await findPurchase(database, id)
  if (!purchase) throw new Error(`purchase ${id} is missing`)
  return purchase
}

function landingOf({ landing, signature }: VerifiedCandidate) {
  if (!landing) throw new Error(`candidate ${signature} was verified without its landing`)
  return landing
}
