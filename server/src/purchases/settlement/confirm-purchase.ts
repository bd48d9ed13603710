import { parseSignature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { isId } from '../../listings/listing.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { type ReplyRow } from '../purchase-reply.ts'
import { type PaymentOutcome, settlePayment } from './settle-payment.ts'
import { listPayablePurchases } from './settlement-store.ts'
import { type Candidate, candidateOf, verifyCandidate } from './verify-candidate.ts'

export interface Confirmation {
  purchase: ReplyRow
  /** False while the chain has not confirmed the payment: ask again, or leave it to reconciliation. */
  settled: boolean
}

/**
 * The buyer says which transaction paid for a listing; the chain decides whether it did. The answer stays the same however often it
 * is asked for. `admit` is called before a landed transaction that is not recorded is read from the chain, and may refuse that.
 * @throws BAD_REQUEST, NO_HOLD, PAYMENT_MISMATCH, SIGNATURE_USED, PAYMENT_CASE or CHAIN_DOWN
 */
export async function confirmPurchase(
  deps: PurchaseDeps,
  buyer: WalletAddress,
  listingId: string,
  text: string,
  admit = async (): Promise<void> => {},
): Promise<Confirmation> {
  const signature = parseSignature(text)
  if (!signature) throw new Failure('BAD_REQUEST', { detail: 'transactionSignature must be a transaction signature in base58.' })
  const payable = isId(listingId) ? await listPayablePurchases(deps.database, { listingId, buyer, signature }) : []
  const recorded = payable.filter(({ payment }) => payment)
  const candidates = recorded.length > 0 ? recorded : payable
  const [likeliest] = candidates
  if (!likeliest) throw new Failure('NO_HOLD')
  const purchases = candidates.map(({ purchase }) => purchase)
  const settled = purchases.find((purchase) => purchase.signature === signature)
  if (settled) return { purchase: settled, settled: true }
  try {
    const status = (await deps.chain.statuses([signature])).get(signature)
    const options = { submittedByBuyer: true, recorded: likeliest.payment, ...(recorded.length === 0 && { admit }) }
    return await settleOneOf(deps, purchases, candidateOf(deps.chain, signature, status, options))
  } catch (error) {
    // The payment is under way, and reconciliation follows it: its buyer has nothing to do but to ask again.
    if (error instanceof Failure && error.code === 'CHAIN_BUSY') return { purchase: likeliest.purchase, settled: false }
    throw error
  }
}

async function settleOneOf(deps: PurchaseDeps, purchases: readonly ReplyRow[], candidate: Candidate): Promise<Confirmation> {
  let refusal: Failure | undefined
  for (const purchase of purchases) {
    const outcome = await settlePayment(deps, purchase, await verifyCandidate(deps, purchase, candidate))
    if (outcome.kind === 'settled') return { purchase: { ...purchase, ...outcome.settled, ...settledReply }, settled: true }
    if (outcome.kind === 'pending') return { purchase: withConfirmation(purchase, candidate, outcome.confirmedAt), settled: false }
    refusal = refusalOf(outcome)
    if (outcome.kind !== 'unrelated') break
  }
  throw refusal ?? new Failure('NO_HOLD')
}

/** What a reply says of every settled purchase. */
const settledReply = { sentSignature: null, confirmedAt: null, payMillisLeft: 0, cooldownUntil: null }

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
