import { type Signature } from '@juicebar/contract/addresses'

import { BLOCKHASH_BLOCKS, type LandedTransaction, type SignatureStatus } from '../chain/chain.ts'
import { openCase } from './open-case.ts'
import { judgePayment, type PaymentTerms } from './payment.ts'
import { findPayment, markConfirmed, settlePurchase } from './payment-store.ts'
import { isSettled } from './purchase.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { emitPurchase, type PurchaseRow } from './purchase-store.ts'

/**
 * settled: the tokens are the buyer's. pending: the chain has not confirmed it far enough, or cannot show it yet.
 * case: the SOL moved but could not be delivered; both sides see why. failed, unrelated: it pays for nothing here.
 */
export type PaymentOutcome =
  | { kind: 'settled' }
  | { kind: 'pending' }
  | { kind: 'failed' }
  | { kind: 'used' }
  | { kind: 'unrelated'; reason: string }
  | { kind: 'case'; reason: string }

export interface PaymentClue {
  signature: Signature
  /** What the chain says of it, where the caller has asked already. */
  status?: SignatureStatus | undefined
  /** The buyer named this transaction as the payment: one that is off opens a case even where it names no purchase. */
  claimed: boolean
}

/**
 * The one way in which a purchase is settled, whoever found the payment: page, watcher or a client's confirm call. Reads the
 * chain first and then settles in one database transaction. Safe to repeat at any time. Fails with CHAIN_DOWN.
 */
export async function settlePayment(deps: PurchaseDeps, purchase: PurchaseRow, clue: PaymentClue): Promise<PaymentOutcome> {
  const { chain, database, settings } = deps
  if (purchase.status === 'settled' && purchase.signature === clue.signature) return { kind: 'settled' }
  if (purchase.genesisHash !== (await chain.genesisHash())) return { kind: 'unrelated', reason: 'it is from another chain' }
  const status = clue.status ?? (await chain.statuses([clue.signature])).get(clue.signature)
  if (!status || status.commitment === 'processed') return { kind: 'pending' }
  if (status.failed) return { kind: 'failed' }
  if (await markConfirmed(database, clue.signature, status.slot)) await emitPurchase(database, purchase.id)
  if (!isSettled(status.commitment, settings.settleAt)) return { kind: 'pending' }
  const transaction = await chain.transaction(clue.signature)
  if (!transaction) return { kind: 'pending' }
  return settleLanded(deps, purchase, clue, transaction)
}

async function settleLanded(
  deps: PurchaseDeps,
  purchase: PurchaseRow,
  { claimed }: PaymentClue,
  transaction: LandedTransaction,
): Promise<PaymentOutcome> {
  const { database } = deps
  const verdict = judgePayment(transaction, termsOf(purchase))
  if (verdict.kind === 'unrelated') return { kind: 'unrelated', reason: verdict.reason }
  if (await servesAnother(deps, purchase, transaction.signature)) return { kind: 'used' }
  if (verdict.kind === 'pays') return deliver(deps, purchase, transaction, verdict.referenced)
  if (!verdict.referenced && !claimed) return { kind: 'unrelated', reason: verdict.reason }
  await openCase(database, {
    purchaseId: purchase.id,
    kind: 'wrong',
    signature: transaction.signature,
    lamports: verdict.lamports,
    deliverable: false,
  })
  return { kind: 'case', reason: `${verdict.reason}.` }
}

/** The database moves the tokens; what it refuses becomes a case that both sides see. */
async function deliver(
  { database, chain }: PurchaseDeps,
  purchase: PurchaseRow,
  { signature, slot, wire }: LandedTransaction,
  referenced: boolean,
): Promise<PaymentOutcome> {
  const expiryHeight = (await chain.highestBlockHeight()) + BLOCKHASH_BLOCKS
  const outcome = await settlePurchase(database, purchase.id, { signature, slot, wire, expiryHeight, referenced })
  switch (outcome) {
    case 'settled':
      return { kind: 'settled' }
    case 'signature_used':
      return { kind: 'used' }
    case 'refunding':
      return { kind: 'case', reason: 'the seller is sending it back.' }
    case 'lot_gone':
      await openCase(database, {
        purchaseId: purchase.id,
        kind: 'late',
        signature,
        lamports: purchase.priceLamports,
        deliverable: referenced,
      })
      return { kind: 'case', reason: 'it arrived after the time to pay was over.' }
    case 'paid_before':
      await openCase(database, {
        purchaseId: purchase.id,
        kind: 'double',
        signature,
        lamports: purchase.priceLamports,
        deliverable: false,
      })
      return { kind: 'case', reason: 'the lot was already paid for.' }
  }
}

async function servesAnother({ database }: PurchaseDeps, purchase: PurchaseRow, signature: Signature): Promise<boolean> {
  const payment = await findPayment(database, signature)
  return payment !== undefined && (payment.purchaseId !== purchase.id || payment.kind !== 'purchase')
}

/** What the chain must show for a purchase to be paid. */
function termsOf(purchase: PurchaseRow): PaymentTerms {
  const { buyer, seller, priceLamports, reference, heldAtSlot } = purchase
  return { buyer, seller, lamports: priceLamports, reference, heldAtSlot }
}
