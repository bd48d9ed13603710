import { type Signature } from '@juicebar/contract/addresses'

import { type Chain, type LandedTransaction, type SignatureStatus, type TransactionOptions } from '../../chain/chain.ts'
import { endedBeforeRewind } from '../cases/late-delivery-store.ts'
import { recordSeenRefunds } from '../cases/record-seen-refunds.ts'
import { ambiguousReferences } from '../payment/landed-transfers.ts'
import { paymentKeys } from '../co-signer.ts'
import { expectedPaymentOf, termsOf } from '../payment/payment-terms.ts'
import { findReferences } from '../payment/reference-store.ts'
import { type RecordedPayment, settlesOnStatus } from '../payment/recorded-payment.ts'
import { isSettled } from '../purchase.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { type PurchaseRow } from '../purchase-store.ts'
import { type CandidateReading, type CandidateVerdict, verdictOf, type VerifiedCandidate } from './candidate.ts'
import { listHoldsBetween } from './settlement-store.ts'

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
}

interface CandidateOptions extends TransactionOptions {
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
  const read = () => (transaction ??= admit().then(() => chain.transaction(signature, options)))
  return { signature, status, submittedByBuyer, recorded, read }
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
  const transaction = mayCount ? await candidate.read() : undefined
  const knownReferences = await findReferences(database, transaction ? ambiguousReferences(transaction) : [])
  const terms = { ...termsOf(purchase), needsReference: purchase.needsReference, hasEnded: purchase.status === 'ended' }
  const verdict = verdictOf(terms, { status, transaction, knownReferences, submittedByBuyer })
  if (!transaction || (verdict.kind !== 'pays' && verdict.kind !== 'wrong')) return { signature, status, verdict, paysAnotherHold: false }
  const isLate = verdict.kind === 'pays' && purchase.status === 'ended'
  if (isLate && (await recordSeenRefunds(deps, purchase.id, signature)))
    return { signature, status, verdict: paidBack, paysAnotherHold: false }
  const [landing, paysAnotherHold, onlyRefunded] = await Promise.all([
    readLanding(chain, transaction),
    verdict.referenced ? false : isForAnotherHold(deps, purchase, { status, transaction, knownReferences }),
    isLate && endedBeforeRewind(database, purchase.id),
  ])
  return { signature, status, verdict, landing, paysAnotherHold, onlyRefunded }
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
  { database }: PurchaseDeps,
  purchase: PurchaseRow,
  reading: Omit<CandidateReading, 'submittedByBuyer'>,
): Promise<boolean> {
  const holds = await listHoldsBetween(database, purchase)
  return holds.some(({ needsReference, ...other }) => {
    const verdict = verdictOf({ ...termsOf(other), needsReference, hasEnded: false }, { ...reading, submittedByBuyer: false })
    return verdict.kind === 'pays' || (verdict.kind === 'wrong' && verdict.complete)
  })
}
