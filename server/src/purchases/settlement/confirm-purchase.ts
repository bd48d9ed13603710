import { parseSignature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { paymentStatuses } from '../purchase/wait-for-endpoints.ts'
import { type ReplyRow } from '../reply/purchase-reply.ts'
import { type PaymentOutcome, settlePayment, type Candidate, candidateOf, verifyCandidate } from './settle-payment.ts'
import { listPayablePurchases, type PaidSubject } from './settlement-store.ts'
import { isId } from '@juicebar/contract/ids'

export interface Confirmation {
  purchase: ReplyRow
  /** False while the chain has not confirmed the payment: ask again, or leave it to reconciliation. */
  settled: boolean
}

/** May refuse the chain request that reading an unrecorded landed transaction costs. */
type Admit = () => Promise<void>

/**
 * The buyer says which transaction paid for a purchase or a listing; the chain decides whether it did. Repeated calls get the same answer.
 * @throws PURCHASE_NOT_FOUND for a purchase or NO_HOLD for a listing, BAD_REQUEST, PAYMENT_MISMATCH, SIGNATURE_USED, PAYMENT_CASE,
 * CHAIN_DOWN, or what `admit` throws
 */
export async function confirmPurchase(
  deps: PurchaseDeps,
  buyer: WalletAddress,
  subject: PaidSubject,
  text: string,
  admit: Admit = async () => {},
): Promise<Confirmation> {
  const [id, missing] =
    'purchaseId' in subject ? ([subject.purchaseId, 'PURCHASE_NOT_FOUND'] as const) : ([subject.listingId, 'NO_HOLD'] as const)
  if (!isId(id)) throw new Failure(missing)
  const signature = parseSignature(text)
  if (!signature) throw new Failure('BAD_REQUEST', { detail: 'transactionSignature must be a transaction signature in base58.' })
  const payable = await listPayablePurchases(deps.database, { ...subject, buyer, signature })
  const recorded = payable.filter(({ payment }) => payment)
  const candidates = recorded.length > 0 ? recorded : payable
  const [likeliest] = candidates
  if (!likeliest) throw new Failure(missing)
  const purchases = candidates.map(({ purchase }) => purchase)
  const settled = purchases.find((purchase) => purchase.signature === signature)
  if (settled) return { purchase: settled, settled: true }
  try {
    const status = (await paymentStatuses(deps, [signature])).get(signature)
    const options = { submittedByBuyer: true, recorded: likeliest.payment, ...(recorded.length === 0 && { admit }) }
    return await settleOneOf(deps, purchases, candidateOf(deps.chain, signature, status, options))
  } catch (error) {
    // The payment is under way, and reconciliation follows it: the buyer only has to ask again.
    if (error instanceof Failure && error.code === 'CHAIN_BUSY') return { purchase: likeliest.purchase, settled: false }
    throw error
  }
}

async function settleOneOf(deps: PurchaseDeps, purchases: readonly ReplyRow[], candidate: Candidate): Promise<Confirmation> {
  let refusal: Failure | undefined
  for await (const { purchase, verified } of likeliestFirst(deps, purchases, candidate)) {
    const outcome = await settlePayment(deps, purchase, verified)
    if (outcome.kind === 'settled') return { purchase: { ...purchase, ...outcome.settled, ...settledReply }, settled: true }
    if (outcome.kind === 'pending') return { purchase: withConfirmation(purchase, candidate, outcome.confirmedAt), settled: false }
    refusal = refusalOf(outcome)
    if (outcome.kind !== 'unrelated') break
  }
  throw refusal ?? new Failure('NO_HOLD')
}

/** A payment that looks older than a purchase may be for an earlier one of the same sum: it becomes a case only if there is none. */
async function* likeliestFirst(deps: PurchaseDeps, purchases: readonly ReplyRow[], candidate: Candidate) {
  const looksOlder = []
  for (const purchase of purchases) {
    const verified = await verifyCandidate(deps, purchase, candidate)
    if ('looksOlder' in verified.verdict) looksOlder.push({ purchase, verified })
    else yield { purchase, verified }
  }
  yield* looksOlder
}

/** The fields that are the same for every settled purchase. */
const settledReply = { sentSignature: null, confirmedAt: null, payMillisLeft: 0, abandoned: null }

function withConfirmation(purchase: ReplyRow, { signature }: Candidate, confirmedAt: Date | undefined): ReplyRow {
  return confirmedAt && purchase.sentSignature === signature ? { ...purchase, confirmedAt } : purchase
}

function refusalOf(outcome: Exclude<PaymentOutcome, { kind: 'settled' | 'pending' }>): Failure {
  switch (outcome.kind) {
    case 'failed':
      return new Failure('PAYMENT_MISMATCH', { detail: 'it failed on the chain, so no SOL moved. You can pay again.' })
    case 'used':
      return new Failure('SIGNATURE_USED')
    case 'unrelated':
      return new Failure('PAYMENT_MISMATCH', { detail: `${outcome.reason}.` })
    case 'case':
      return new Failure('PAYMENT_CASE', { detail: outcome.reason })
  }
}
