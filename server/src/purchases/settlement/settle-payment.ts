import { type Signature } from '@juicebar/contract/addresses'

import { BLOCKHASH_BLOCKS, type Chain, type LandedTransaction, type SignatureStatus } from '../../chain/chain.ts'
import { knownReferences } from '../payment/known-references.ts'
import { openCase, type StrayPayment } from '../cases/open-case.ts'
import { verifyPayment, type PaymentTerms } from '../payment/landed-payment.ts'
import { markConfirmed, settlePurchase } from '../payment/payment-store.ts'
import { isSettled } from '../purchase.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { emitPurchase, findHoldsBetween, type PurchaseRow } from '../purchase-store.ts'

/**
 * settled: the tokens are the buyer's. pending: the chain has not confirmed it far enough, or cannot show it yet.
 * case: the SOL moved but could not be delivered; both sides see why. failed, unrelated: it pays for nothing here, and `forGood` never
 * will.
 */
export type PaymentOutcome =
  | { kind: 'settled' }
  | { kind: 'pending' }
  | { kind: 'failed' }
  | { kind: 'used' }
  | { kind: 'unrelated'; reason: string; forGood: boolean }
  | { kind: 'case'; reason: string }

/** A transaction that may pay for a purchase. */
export interface PaymentClue {
  signature: Signature
  /** What the chain said of it just now. */
  status: SignatureStatus | undefined
  /** The buyer named this transaction as the payment: one that is off opens a case even where it names no purchase. */
  claimed: boolean
  /** The transaction itself, read once, however many purchases it is tried for. */
  read(): Promise<LandedTransaction | undefined>
}

/** `admit` may throw to refuse the call to the chain that reading the transaction costs. */
export function paymentClue(
  chain: Chain,
  signature: Signature,
  status: SignatureStatus | undefined,
  { claimed = false, admit = async () => {} }: { claimed?: boolean; admit?: () => Promise<void> } = {},
): PaymentClue {
  let transaction: Promise<LandedTransaction | undefined> | undefined
  const read = () => (transaction ??= admit().then(() => chain.transaction(signature)))
  return { signature, status, claimed, read }
}

/**
 * The one way in which a purchase is settled, whoever found the payment: page, watcher or a client's confirm call. Reads the
 * chain first and then settles in one database transaction. Safe to repeat at any time. Fails with CHAIN_DOWN.
 */
export async function settlePayment(deps: PurchaseDeps, purchase: PurchaseRow, clue: PaymentClue): Promise<PaymentOutcome> {
  const { chain, settings } = deps
  const { signature, status } = clue
  if (purchase.status === 'settled' && purchase.signature === signature) return { kind: 'settled' }
  if (purchase.genesisHash !== (await chain.genesisHash())) return unrelated('it is from another chain', false)
  if (!status || status.commitment === 'processed') return { kind: 'pending' }
  if (status.failed) return { kind: 'failed' }
  const transaction = isSettled(status.commitment, settings.settleAt) ? await clue.read() : undefined
  if (transaction) return settleLanded(deps, purchase, clue, transaction)
  await noteConfirmed(deps, purchase, signature, status.slot)
  return { kind: 'pending' }
}

/** Lets the buyer see that the payment landed, while it does not count yet. */
async function noteConfirmed({ database }: PurchaseDeps, { id }: PurchaseRow, signature: Signature, slot: bigint): Promise<void> {
  if (await markConfirmed(database, signature, slot)) await emitPurchase(database, id)
}

async function settleLanded(
  deps: PurchaseDeps,
  purchase: PurchaseRow,
  { claimed }: PaymentClue,
  transaction: LandedTransaction,
): Promise<PaymentOutcome> {
  const references = await knownReferences(deps.database, transaction, purchase.reference)
  const verdict = verifyPayment(transaction, termsOf(purchase), references)
  if (verdict.kind === 'unrelated') return unrelated(verdict.reason, true)
  if (verdict.kind === 'pays') return deliver(deps, purchase, transaction, verdict.referenced)
  const { referenced, reason } = verdict
  if (!referenced && !claimed) return unrelated(reason, true)
  return reportStray(deps, purchase, transaction, { ...verdict, kind: 'wrong', reason: `${reason}.` })
}

/** The database moves the tokens; what it refuses becomes a case that both sides see. */
async function deliver(
  deps: PurchaseDeps,
  purchase: PurchaseRow,
  transaction: LandedTransaction,
  referenced: boolean,
): Promise<PaymentOutcome> {
  const outcome = await settlePurchase(deps.database, purchase.id, await describePayment(deps, transaction), referenced)
  const lamports = purchase.priceLamports
  const moved = { referenced, lamports, named: referenced ? lamports : 0n }
  switch (outcome) {
    case 'settled':
      return { kind: 'settled' }
    case 'signature_used':
      return reportStray(deps, purchase, transaction, {
        ...moved,
        kind: 'wrong',
        reason: 'its transaction paid for something else as well.',
      })
    case 'refunding':
      return { kind: 'case', reason: 'it is not delivered any more.' }
    case 'listing_gone':
      return reportStray(deps, purchase, transaction, { ...moved, kind: 'late', reason: 'it arrived after the time to pay was over.' })
    case 'paid_before':
      return reportStray(deps, purchase, transaction, { ...moved, kind: 'double', reason: 'the lot was already paid for.' })
  }
}

interface Stray extends Pick<StrayPayment, 'kind' | 'lamports' | 'named'> {
  referenced: boolean
  reason: string
}

/** SOL that moved without a delivery: a case, unless it names no purchase and pays for another lot that its buyer holds. */
async function reportStray(
  deps: PurchaseDeps,
  purchase: PurchaseRow,
  transaction: LandedTransaction,
  { kind, referenced, lamports, named, reason }: Stray,
): Promise<PaymentOutcome> {
  if (!referenced && (await paysAnotherHold(deps, purchase, transaction))) {
    return unrelated('it pays for another lot that you hold', false)
  }
  const payment = await describePayment(deps, transaction)
  const deliverable = kind === 'late' && referenced
  const outcome = await openCase(deps.database, { purchase, kind, payment, lamports, named, deliverable })
  if (outcome === 'dust') return unrelated(`${reason.replace(/\.$/, '')}, and it is too little to be kept in mind`, true)
  return outcome === 'open' ? { kind: 'case', reason } : { kind: outcome }
}

function unrelated(reason: string, forGood: boolean): PaymentOutcome {
  return { kind: 'unrelated', reason, forGood }
}

async function paysAnotherHold({ database }: PurchaseDeps, purchase: PurchaseRow, transaction: LandedTransaction): Promise<boolean> {
  const holds = await findHoldsBetween(database, purchase)
  return holds.some((other) => other.id !== purchase.id && verifyPayment(transaction, termsOf(other)).kind === 'pays')
}

/** A landed transaction as it is kept. It was signed before now, which bounds the height up to which it could land once more. */
async function describePayment({ chain }: PurchaseDeps, { signature, slot, bytes }: LandedTransaction) {
  const expiryHeight = (await chain.highestBlockHeight()) + BLOCKHASH_BLOCKS
  return { signature, slot, transactionBytes: Buffer.from(bytes), expiryHeight }
}

/** What the chain must show for a purchase to be paid. */
function termsOf(purchase: PurchaseRow): PaymentTerms {
  const { buyer, seller, priceLamports, reference, heldAtSlot } = purchase
  return { buyer, seller, lamports: priceLamports, reference, heldAtSlot }
}
