import { type Signature } from '@juicebar/contract/addresses'

import { BLOCKHASH_BLOCKS, type Chain, type LandedTransaction, type SignatureStatus } from '../../chain/chain.ts'
import { ambiguousReferences, verifyPayment } from '../payment/landed-payment.ts'
import { findReferences } from '../payment/reference-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { type PurchaseRow } from '../purchase-store.ts'
import { type CandidateVerdict, needsTransaction, termsOf, verdictOf, type VerifiedCandidate } from './candidate.ts'
import { listHoldsBetween } from './settlement-store.ts'

/** A transaction that may pay for a purchase. */
export interface Candidate {
  signature: Signature
  /** What the chain has just said of it. */
  status: SignatureStatus | undefined
  submittedByBuyer: boolean
  /** The transaction itself, read once, however many purchases it is verified for. */
  read(): Promise<LandedTransaction | undefined>
}

interface CandidateOptions {
  submittedByBuyer?: boolean
  /** May throw to refuse the request that reading the transaction costs. */
  admit?: () => Promise<void>
}

export function candidateOf(
  chain: Chain,
  signature: Signature,
  status: SignatureStatus | undefined,
  { submittedByBuyer = false, admit = async () => {} }: CandidateOptions = {},
): Candidate {
  let transaction: Promise<LandedTransaction | undefined> | undefined
  const read = () => (transaction ??= admit().then(() => chain.transaction(signature)))
  return { signature, status, submittedByBuyer, read }
}

/**
 * Reads what is needed to verify a candidate for a purchase, and to settle the purchase or open a case with it, and verifies it.
 * Writes nothing.
 * @throws CHAIN_DOWN, and what the candidate's `admit` throws
 */
export async function verifyCandidate(deps: PurchaseDeps, purchase: PurchaseRow, candidate: Candidate): Promise<VerifiedCandidate> {
  const { database, chain, settings } = deps
  const { signature, status, submittedByBuyer } = candidate
  if (purchase.genesisHash !== (await chain.genesisHash())) {
    const verdict: CandidateVerdict = { kind: 'unrelated', reason: 'it is from another chain', permanent: false }
    return { signature, status, verdict, paysAnotherHold: false }
  }
  const transaction = needsTransaction(status, settings.settleAt) ? await candidate.read() : undefined
  const knownReferences = await findReferences(database, transaction ? ambiguousReferences(transaction) : [])
  const verdict = verdictOf(termsOf(purchase), { status, transaction, knownReferences, submittedByBuyer })
  if (!transaction || (verdict.kind !== 'pays' && verdict.kind !== 'wrong')) return { signature, status, verdict, paysAnotherHold: false }
  const [landing, paysAnotherHold] = await Promise.all([
    readLanding(chain, transaction),
    verdict.referenced ? false : isForAnotherHold(deps, purchase, transaction),
  ])
  return { signature, status, verdict, landing, paysAnotherHold }
}

/** A landed transaction as it is recorded. It was signed before now, which bounds the height up to which it could land again. */
async function readLanding(chain: Chain, { signature, slot, bytes }: LandedTransaction) {
  const expiryHeight = (await chain.highestBlockHeight()) + BLOCKHASH_BLOCKS
  return { signature, slot, transactionBytes: Buffer.from(bytes), expiryHeight }
}

async function isForAnotherHold({ database }: PurchaseDeps, purchase: PurchaseRow, transaction: LandedTransaction): Promise<boolean> {
  const holds = await listHoldsBetween(database, purchase)
  return holds.some((other) => verifyPayment(transaction, termsOf(other)).kind === 'pays')
}
