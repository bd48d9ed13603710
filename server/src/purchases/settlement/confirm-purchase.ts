import { parseSignature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { isId } from '../../listings/listing.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { findCandidates, type PurchaseRow } from '../purchase-store.ts'
import { type PaymentClue, paymentClue, type PaymentOutcome, settlePayment } from './settle-payment.ts'

export interface Confirmation {
  purchaseId: string
  /** False while the chain has not confirmed the payment: ask again, or let the watcher find it. */
  settled: boolean
}

/**
 * The buyer says which transaction paid for a lot; the chain decides whether it did. The answer is the same however often it is
 * asked. `admit` is called before a landed transaction that is not known here is read from the chain: it may refuse that. Fails with
 * BAD_REQUEST, NO_HOLD, PAYMENT_MISMATCH, SIGNATURE_USED, PAYMENT_CASE or CHAIN_DOWN.
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
  const purchases = isId(listingId) ? await findCandidates(deps.database, listingId, buyer, signature) : []
  const named = purchases.filter((purchase) => purchase.named)
  const candidates = named.length > 0 ? named : purchases
  const settled = candidates.find((purchase) => purchase.signature === signature)
  if (settled) return { purchaseId: settled.id, settled: true }
  if (candidates.length === 0) throw new Failure('NO_HOLD')
  const status = (await deps.chain.statuses([signature])).get(signature)
  const clue = paymentClue(deps.chain, signature, status, named.length > 0 ? { claimed: true } : { claimed: true, admit })
  return settleOneOf(deps, candidates, clue)
}

async function settleOneOf(deps: PurchaseDeps, candidates: readonly PurchaseRow[], clue: PaymentClue): Promise<Confirmation> {
  let refusal = new Failure('NO_HOLD')
  for (const purchase of candidates) {
    const outcome = await settlePayment(deps, purchase, clue)
    if (outcome.kind === 'settled') return { purchaseId: purchase.id, settled: true }
    if (outcome.kind === 'pending') return { purchaseId: purchase.id, settled: false }
    refusal = refuse(outcome)
    if (outcome.kind !== 'unrelated') break
  }
  throw refusal
}

function refuse(outcome: Exclude<PaymentOutcome, { kind: 'settled' | 'pending' }>): Failure {
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
