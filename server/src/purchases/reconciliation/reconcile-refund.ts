import { Failure } from '@juicebar/contract/errors'

import { BLOCKHASH_BLOCKS, type LandedTransaction, type SignatureEntry } from '../../chain/chain.ts'
import { inTransaction } from '../../database/transact.ts'
import { type CaseRow, forgetRefund, lockCase, moveCase } from '../cases/case-store.ts'
import { knownReferences } from '../payment/known-references.ts'
import { verifyPayment } from '../payment/landed-payment.ts'
import { findPayment, findRefund, insertPayment, markVoid, markSettled, type PaymentRow } from '../payment/payment-store.ts'
import { isProvedExpired } from './prove-expired.ts'
import { RELEASE_MARGIN_BLOCKS } from '../purchase.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { lockPurchase, type PurchaseRow } from '../purchase-store.ts'
import { broadcastPayment } from '../payment/broadcast-payment.ts'

export const REFUND_LOOK_SECONDS = 2
/** An honest refund has one transaction, or two where its seller was impatient. */
const REFUNDS = 5

/**
 * Sends a recorded refund until it is final, and closes its case; one that is proved dead opens the case again. Gives the seconds until
 * the next look, null for none. Fails with CHAIN_DOWN.
 */
export async function followRefund(deps: PurchaseDeps, row: CaseRow, purchase: PurchaseRow): Promise<number | null> {
  const { chain, database } = deps
  const refund = await findRefund(database, row.id)
  if (!refund) return null
  const status = (await chain.statuses([refund.signature])).get(refund.signature)
  if (status?.commitment === 'finalized') return closeRefund(deps, row, purchase, refund)
  const traces = [{ address: row.refundReference ?? purchase.seller, sinceSlot: purchase.heldAtSlot }]
  if (!status && (await isProvedExpired(await chain.finalized(), refund, traces))) return reopen(deps, row, refund)
  if (!status) await broadcastPayment(deps, refund)
  return REFUND_LOOK_SECONDS
}

/**
 * Looks for a refund that was prepared here and never handed in: the seller's wallet may have sent it by itself. found: it is recorded
 * and followed from now on. possible: it may still land. none: what was prepared can't any more, as the chain has proved; one that the
 * seller signs anew with its reference still may, and is found by a later look. Fails with CHAIN_DOWN.
 */
export async function findUnrecordedRefund(
  deps: PurchaseDeps,
  row: CaseRow,
  purchase: PurchaseRow,
): Promise<'found' | 'possible' | 'none'> {
  const { refundReference, refundExpiryHeight } = row
  if (refundReference === null) return 'none'
  const recent = await deps.chain.recentSignatures(refundReference, purchase.heldAtSlot, REFUNDS)
  if (await recordFirstRefund(deps, row, purchase, recent)) return 'found'
  if (refundExpiryHeight === null) return 'none'
  const finalized = await deps.chain.finalized()
  if (finalized.genesisHash !== purchase.genesisHash || finalized.height <= refundExpiryHeight + RELEASE_MARGIN_BLOCKS) return 'possible'
  const landed = await finalized.signaturesFor(refundReference, purchase.heldAtSlot)
  if (await recordFirstRefund(deps, row, purchase, landed)) return 'found'
  return (await forgetRefund(deps.database, row)) ? 'none' : 'possible'
}

async function recordFirstRefund(
  deps: PurchaseDeps,
  row: CaseRow,
  purchase: PurchaseRow,
  entries: readonly SignatureEntry[],
): Promise<boolean> {
  for (const { signature, failed } of entries) {
    if (failed) continue
    const transaction = await deps.chain.transaction(signature)
    // It landed, so it may be the refund: not being shown it proves nothing.
    if (!transaction) throw new Failure('CHAIN_DOWN')
    if (!(await paysBack(deps, transaction, row, purchase))) continue
    await takeLandedRefund(deps, row, purchase, transaction)
    return true
  }
  return false
}

/** Whether a transaction holds the refund that was prepared for this case, maybe beside others that its seller sent along. */
async function paysBack(
  { database }: PurchaseDeps,
  transaction: LandedTransaction,
  { lamports, refundReference }: CaseRow,
  { buyer, seller }: PurchaseRow,
): Promise<boolean> {
  const reference = refundReference ?? ''
  const terms = { buyer: seller, seller: buyer, lamports, reference, heldAtSlot: 0n }
  const verdict = verifyPayment(transaction, terms, await knownReferences(database, transaction, reference))
  if (verdict.kind === 'pays') return verdict.referenced
  return verdict.kind === 'wrong' && verdict.named === lamports
}

/** A transaction is recorded for one purpose. Where that is another one already, it closes this case as soon as it is final. */
async function takeLandedRefund(deps: PurchaseDeps, row: CaseRow, purchase: PurchaseRow, transaction: LandedTransaction): Promise<void> {
  const { signature } = transaction
  if (!(await findPayment(deps.database, signature))) return recordLandedRefund(deps, row, purchase, transaction)
  const status = (await deps.chain.statuses([signature])).get(signature)
  if (status?.commitment !== 'finalized') return
  await inTransaction(deps.database, async (tx) => {
    const locked = await lockCase(tx, row.id)
    if (locked?.status === 'open') await moveCase(tx, row.id, 'refunded', null, `Paid back together with others, by ${signature}.`)
  })
}

async function recordLandedRefund(
  { database, chain }: PurchaseDeps,
  row: CaseRow,
  purchase: PurchaseRow,
  { signature, slot, bytes }: LandedTransaction,
): Promise<void> {
  const expiryHeight = (await chain.highestBlockHeight()) + BLOCKHASH_BLOCKS
  const { id: purchaseId, genesisHash } = purchase
  await inTransaction(database, async (tx) => {
    await lockPurchase(tx, purchaseId)
    const locked = await lockCase(tx, row.id)
    if (locked?.status !== 'open' || (await findPayment(tx, signature))) return
    const landed = { signature, slot, transactionBytes: Buffer.from(bytes), expiryHeight, genesisHash }
    await insertPayment(tx, { ...landed, kind: 'refund', purchaseId, caseId: row.id, status: 'recorded' })
    await moveCase(tx, row.id, 'refunding', 0)
  })
}

async function closeRefund(deps: PurchaseDeps, row: CaseRow, purchase: PurchaseRow, refund: PaymentRow): Promise<number | null> {
  const transaction = await deps.chain.transaction(refund.signature)
  if (!transaction) return REFUND_LOOK_SECONDS
  if (!(await paysBack(deps, transaction, row, purchase))) return reopen(deps, row, refund)
  await inTransaction(deps.database, async (tx) => {
    const locked = await lockCase(tx, row.id)
    if (locked?.status !== 'refunding') return
    await markSettled(tx, refund.signature, transaction.slot)
    await moveCase(tx, row.id, 'refunded', null)
  })
  return null
}

async function reopen({ database }: PurchaseDeps, row: CaseRow, refund: PaymentRow): Promise<number | null> {
  await inTransaction(database, async (tx) => {
    const locked = await lockCase(tx, row.id)
    if (locked?.status !== 'refunding') return
    await markVoid(tx, refund.signature)
    await moveCase(tx, row.id, 'open', 0)
  })
  return null
}
