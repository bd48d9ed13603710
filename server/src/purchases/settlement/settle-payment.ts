import { type Signature } from '@juicebar/contract/addresses'

import { type Database } from '../../database/connect.ts'
import { openCase, type UnmatchedPayment } from '../cases/open-case.ts'
import { markConfirmed } from '../payment/payment-store.ts'
import { emitPurchase, type PurchaseRow } from '../purchase-store.ts'
import { type CandidateVerdict, type VerifiedCandidate } from './candidate.ts'
import { settlePurchase } from './settlement-store.ts'

/**
 * settled: the tokens are the buyer's. pending, failed, unrelated: see `CandidateVerdict`. used: the transaction served another
 * purpose. case: the SOL moved but could not be delivered; both sides see why.
 */
export type PaymentOutcome =
  | { kind: 'settled' }
  | { kind: 'pending' }
  | { kind: 'failed' }
  | { kind: 'used' }
  | { kind: 'unrelated'; reason: string; permanent: boolean }
  | { kind: 'case'; reason: string }

/**
 * The one way in which a purchase is settled, whoever found the payment: the buyer's client or reconciliation. Writes what the
 * candidate's verdict asks for, in one database transaction. Safe to repeat at any time.
 */
export async function settlePayment(database: Database, purchase: PurchaseRow, candidate: VerifiedCandidate): Promise<PaymentOutcome> {
  const { verdict, signature } = candidate
  switch (verdict.kind) {
    case 'pending':
      if (verdict.landedAt !== undefined) await noteConfirmed(database, purchase, signature, verdict.landedAt)
      return { kind: 'pending' }
    case 'failed':
      return { kind: 'failed' }
    case 'unrelated':
      return verdict
    case 'pays':
      return deliver(database, purchase, candidate, verdict)
    case 'wrong':
      return reportUnmatched(database, purchase, candidate, { ...verdict, kind: 'wrong', reason: `${verdict.reason}.` })
  }
}

/** Shows the buyer that the payment landed, while it does not count yet. */
async function noteConfirmed(database: Database, { id }: PurchaseRow, signature: Signature, slot: bigint): Promise<void> {
  if (await markConfirmed(database, signature, slot)) await emitPurchase(database, id)
}

/** The database moves the tokens; what it refuses becomes a case that both sides see. */
async function deliver(
  database: Database,
  purchase: PurchaseRow,
  candidate: VerifiedCandidate,
  { referenced }: Extract<CandidateVerdict, { kind: 'pays' }>,
): Promise<PaymentOutcome> {
  const outcome = await settlePurchase(database, purchase.id, { ...landingOf(candidate), referenced })
  const lamports = purchase.priceLamports
  const moved = { referenced, lamports, referencedLamports: referenced ? lamports : 0n }
  const report = (kind: Unmatched['kind'], reason: string) => reportUnmatched(database, purchase, candidate, { ...moved, kind, reason })
  switch (outcome) {
    case 'settled':
      return { kind: 'settled' }
    case 'refunding':
      return { kind: 'case', reason: 'it can no longer be delivered.' }
    case 'signature_used':
      return report('wrong', 'its transaction paid for something else as well.')
    case 'listing_gone':
      return report('late', 'it arrived after the time to pay had run out.')
    case 'paid_before':
      return report('double', 'the lot was already paid for.')
  }
}

interface Unmatched extends Pick<UnmatchedPayment, 'kind' | 'lamports' | 'referencedLamports'> {
  referenced: boolean
  reason: string
}

/** SOL that moved without a delivery becomes a case, unless it carries no reference and pays for another hold of its buyer. */
async function reportUnmatched(
  database: Database,
  purchase: PurchaseRow,
  candidate: VerifiedCandidate,
  { kind, referenced, lamports, referencedLamports, reason }: Unmatched,
): Promise<PaymentOutcome> {
  if (candidate.paysAnotherHold) return { kind: 'unrelated', reason: 'it pays for another lot that you hold', permanent: false }
  const deliverable = kind === 'late' && referenced
  const payment = landingOf(candidate)
  const outcome = await openCase(database, { purchase, kind, payment, lamports, referencedLamports, deliverable })
  if (outcome === 'dust')
    return { kind: 'unrelated', reason: `${reason.replace(/\.$/, '')}, and it is too little to record`, permanent: true }
  return outcome === 'open' ? { kind: 'case', reason } : { kind: outcome }
}

function landingOf({ landing, signature }: VerifiedCandidate) {
  if (!landing) throw new Error(`candidate ${signature} was verified without its landing`)
  return landing
}
