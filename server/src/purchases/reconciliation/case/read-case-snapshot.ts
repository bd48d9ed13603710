import { Failure } from '@juicebar/contract/errors'

import { type LandedTransaction, type SignatureEntry } from '../../../chain/chain.ts'
import { readAvailability } from '../../cases/late-delivery-store.ts'
import { type PaymentTerms, verifyPayment } from '../../payment/landed-payment.ts'
import { ambiguousReferences } from '../../payment/landed-transfers.ts'
import { isMentioned, MENTIONS } from '../../cases/refund-mention.ts'
import { findPayment, findRefund } from '../../payment/payment-store.ts'
import { findReferences } from '../../payment/reference-store.ts'
import { RELEASE_MARGIN_BLOCKS } from '../../purchase.ts'
import { type PurchaseDeps } from '../../purchase-deps.ts'
import { findPurchase, type PurchaseRow } from '../../purchase-store.ts'
import { candidateOf, verifyCandidate } from '../../settlement/verify-candidate.ts'
import { type CaseSnapshot, caseStateOf, type DeliveryReading, type PreparedRefund, type RefundReading } from './case-decision.ts'
import { isProvedExpired } from '../prove-expired.ts'
import { type DueCase } from '../reconciliation-store.ts'

/** An honest refund has one transaction, or two if its seller was impatient, and whatever else names its reference came later. */
const REFUNDS = 5

/**
 * Reads everything that the state of a case needs from the database and the chain. Writes nothing.
 * @throws CHAIN_DOWN
 */
export async function readCaseSnapshot(deps: PurchaseDeps, row: DueCase): Promise<CaseSnapshot> {
  const purchase = row.purchaseId === null ? undefined : await findPurchase(deps.database, row.purchaseId)
  if (!purchase) throw new Error(`case ${row.id} has no purchase`)
  const state = caseStateOf(row, purchase, await deps.chain.genesisHash())
  if (state === 'refunding') return { row, purchase, state, refund: await readRefund(deps, row, purchase) }
  if (state !== 'open') return { row, purchase, state }
  const prepared = await readPrepared(deps, row, purchase)
  const mayDeliver = row.deliverable && (prepared.kind === 'none' || prepared.kind === 'expired')
  return { row, purchase, state, prepared, ...(mayDeliver && { delivery: await readDelivery(deps, row, purchase) }) }
}

async function readRefund(deps: PurchaseDeps, row: DueCase, purchase: PurchaseRow): Promise<RefundReading | undefined> {
  const { chain, database } = deps
  const payment = await findRefund(database, row.id)
  if (!payment) return undefined
  const status = (await chain.statuses([payment.signature])).get(payment.signature)
  if (status?.commitment === 'finalized') {
    const transaction = await chain.transaction(payment.signature)
    const landed = transaction && { slot: transaction.slot, paysBack: await paysBack(deps, transaction, row, purchase) }
    return { payment, status, expired: false, landed }
  }
  const traces = [{ address: row.refundReference ?? row.seller ?? purchase.buyer, sinceSlot: purchase.heldAtSlot }]
  const expired = !status && (await isProvedExpired(chain, await chain.finalized(), payment, traces))
  return { payment, status, expired, landed: undefined }
}

async function readPrepared(deps: PurchaseDeps, row: DueCase, purchase: PurchaseRow): Promise<PreparedRefund> {
  const { refundReference, refundExpiryHeight } = row
  if (refundReference === null) return { kind: 'none' }
  const recent = await deps.chain.recentSignatures(refundReference, 0n, MENTIONS)
  const oldest = recent.filter(({ failed }) => !failed).slice(-REFUNDS)
  const landed = await findRefundAmong(deps, oldest.toReversed(), row, purchase)
  if (landed) return landed
  if (refundExpiryHeight === null) return { kind: isMentioned(recent) ? 'unclear' : 'none' }
  const finalized = await deps.chain.finalized()
  if (finalized.genesisHash !== purchase.genesisHash || finalized.height <= refundExpiryHeight + RELEASE_MARGIN_BLOCKS) {
    return { kind: 'possible' }
  }
  const all = await finalized.signaturesFor(refundReference, purchase.heldAtSlot)
  return (await findRefundAmong(deps, all, row, purchase)) ?? { kind: 'expired' }
}

async function findRefundAmong(
  deps: PurchaseDeps,
  entries: readonly SignatureEntry[],
  row: DueCase,
  purchase: PurchaseRow,
): Promise<PreparedRefund | undefined> {
  for (const { signature, failed } of entries) {
    if (failed) continue
    const transaction = await deps.chain.transaction(signature)
    // It landed, so it may be the refund. That no endpoint shows it proves nothing.
    if (!transaction) throw new Failure('CHAIN_DOWN')
    if (await paysBack(deps, transaction, row, purchase)) return describeLanded(deps, transaction)
  }
  return undefined
}

async function describeLanded({ chain, database }: PurchaseDeps, transaction: LandedTransaction): Promise<PreparedRefund> {
  const { signature } = transaction
  const recordedElsewhere = (await findPayment(database, signature)) !== undefined
  const status = recordedElsewhere ? (await chain.statuses([signature])).get(signature) : undefined
  const expiryHeight = await chain.expiryHeight(transaction.slot)
  return { kind: 'landed', transaction, expiryHeight, recordedElsewhere, finalized: status?.commitment === 'finalized' }
}

/** Whether a transaction contains the refund prepared for this case, perhaps together with other transfers by its seller. */
async function paysBack(
  { database }: PurchaseDeps,
  transaction: LandedTransaction,
  { seller, lamports, refundReference }: DueCase,
  { buyer }: PurchaseRow,
): Promise<boolean> {
  if (seller === null) return false
  const transfers = [{ to: buyer, lamports }]
  const terms: PaymentTerms = { buyer: seller, transfers, reference: refundReference ?? '', heldAtSlot: 0n }
  const knownReferences = await findReferences(database, ambiguousReferences(transaction))
  const verdict = verifyPayment(transaction, terms, knownReferences)
  if (verdict.kind === 'pays') return verdict.referenced
  return verdict.kind === 'wrong' && verdict.received.some(({ referencedLamports }) => referencedLamports === lamports)
}

async function readDelivery(deps: PurchaseDeps, { signature }: DueCase, purchase: PurchaseRow): Promise<DeliveryReading> {
  const availability = await readAvailability(deps.database, purchase.id, signature)
  if (availability !== 'free') return { listing: availability }
  const status = (await deps.chain.statuses([signature])).get(signature)
  return { listing: 'free', candidate: await verifyCandidate(deps, purchase, candidateOf(deps.chain, signature, status)) }
}
