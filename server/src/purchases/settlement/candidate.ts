import { type Signature } from '@juicebar/contract/addresses'
import { type LandedTransaction, type SignatureStatus, type SlotsTold } from '../../chain/chain.ts'
import {
  isPlain,
  type KnownReferences,
  type PaymentTerms,
  receivedAsAgreed,
  verifyPayment,
  type WrongPayment,
} from '../payment/landed-payment.ts'
import { type PaymentRow } from '../payment/payment-store.ts'

/**
 * pending: the chain has not confirmed it far enough, or cannot show it yet; `landedAt` is its slot if it has landed. failed:
 * it failed on the chain. unrelated: it does not pay for this purchase and, if `permanent`, never will. pays, wrong: see
 * `PaymentVerdict`. `looksOlder`: so only because its slot is older than the purchase's, and an endpoint may have told either.
 */
export type CandidateVerdict =
  | { kind: 'pending'; landedAt?: bigint; looksOlder?: boolean }
  | { kind: 'failed' }
  | { kind: 'unrelated'; reason: string; permanent: boolean; looksOlder?: boolean }
  | { kind: 'pays'; referenced: boolean }
  | ({ kind: 'wrong'; looksOlder?: boolean } & WrongPayment)

/** A transaction that may pay for a purchase, as the chain shows it. */
export interface CandidateReading {
  status: SignatureStatus | undefined
  /** Undefined if it was not read or no endpoint shows it. */
  transaction: LandedTransaction | undefined
  /** The references of purchases or refunds among the accounts that it names. */
  knownReferences: KnownReferences
  /** If it looks older than the purchase: whether it is. Undefined if that is not known. */
  age?: 'older' | 'mayBeNewer' | undefined
  /** The buyer submitted this signature as the payment: if it does not match, it becomes a case even without a reference. */
  submittedByBuyer: boolean
}

/** A candidate with everything needed to settle the purchase with it or to open a case for it. */
export interface VerifiedCandidate {
  signature: Signature
  status: SignatureStatus | undefined
  verdict: CandidateVerdict
  /** The record to store for it; set for the verdicts `pays` and `wrong`. */
  landing?: Pick<PaymentRow, 'signature' | 'slot' | 'transactionBytes' | 'expiryHeight'>
  /** It carries no reference and would pay for another open hold of the same buyer and seller. */
  paysAnotherHold: boolean
  /** A late payment that can only be refunded: the database went back since its hold ended, and may have forgotten that it was. */
  onlyRefunded?: boolean
  /** Where its purchase was placed, at the latest, if that was stored as a slot far above the chain. */
  heldAtSlot?: bigint | undefined
}

/** What decides whether a payment without the reference can count. */
interface UnreferencedTerms {
  /** It cannot. */
  needsReference: boolean
  /** The purchase has ended unpaid: a transfer of the same sum may be for anything, unless its buyer says what it is for. */
  hasEnded: boolean
}

/**
 * What the slots that endpoints tell for a transaction say of its age. Two that call it older are right, or one if all others agree; one that
 * calls it newer is believed over one that does not, because its buyer would get nothing for it. `mayBeNewer`: too few have told it.
 */
export function ageOf({ slots, silent }: SlotsTold, heldAtSlot: bigint): 'older' | 'newer' | 'mayBeNewer' {
  const older = slots.filter((slot) => slot < heldAtSlot).length
  if (older >= 2) return 'older'
  if (older < slots.length) return 'newer'
  return silent === 0 ? 'older' : 'mayBeNewer'
}

/** Verifies a candidate for one purchase on the chain of that purchase. */
export function verdictOf(terms: PaymentTerms & UnreferencedTerms, reading: CandidateReading): CandidateVerdict {
  const { status, transaction, knownReferences, age, submittedByBuyer } = reading
  if (!status || status.commitment === 'processed') return { kind: 'pending' }
  if (status.failed) return { kind: 'failed' }
  if (!transaction) return { kind: 'pending', landedAt: status.slot }
  const verdict = verifyPayment(transaction, terms, knownReferences)
  if (verdict.kind === 'unrelated') {
    const looksOlder = terms.heldAtSlot > 0n && verdictOf({ ...terms, heldAtSlot: 0n }, reading).kind !== 'unrelated'
    if (!looksOlder) return { ...verdict, permanent: true }
    if (age === 'mayBeNewer') return { kind: 'pending', looksOlder }
    const isClaimed = submittedByBuyer && verifyPayment(transaction, { ...terms, heldAtSlot: 0n }, knownReferences).kind === 'pays'
    return isClaimed ? { ...claimed(terms, verdict.reason), looksOlder } : { ...verdict, permanent: age === 'older', looksOlder }
  }
  if (verdict.referenced) return verdict
  const flaw = unreferencedFlaw(terms, transaction) ?? (verdict.kind === 'wrong' && !verdict.complete ? verdict.reason : undefined)
  if (!submittedByBuyer && terms.hasEnded) {
    return { kind: 'unrelated', reason: 'it does not carry the reference, and your purchase had ended', permanent: true }
  }
  if (flaw === undefined) return verdict
  if (!submittedByBuyer) return { kind: 'unrelated', reason: flaw, permanent: true }
  // The other purchase that its transaction pays for stays with it: the transaction is recorded for that one.
  if (verdict.kind === 'wrong') return verdict
  return claimed(terms, flaw)
}

/** The agreed sum without the reference, which only its buyer's word connects with the purchase. */
function claimed(terms: PaymentTerms, reason: string): { kind: 'wrong' } & WrongPayment {
  const received = receivedAsAgreed(terms, { referenced: false })
  return { kind: 'wrong', referenced: false, received, reason, complete: false, paidPurchase: undefined }
}

/** Why a transaction cannot count without the reference; undefined if it may. */
function unreferencedFlaw(
  { needsReference }: Pick<UnreferencedTerms, 'needsReference'>,
  transaction: LandedTransaction,
): string | undefined {
  if (needsReference) return 'it does not carry the reference of your purchase'
  return isPlain(transaction) ? undefined : 'it does not carry the reference, and does more than pay once'
}
