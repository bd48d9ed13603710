import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { lamportsToSol } from '@juicebar/contract/money'

import { BLOCKHASH_BLOCKS } from '../../chain/chain.ts'
import { buildPayment } from '../../chain/transactions/signed-transaction.ts'
import { inTransaction } from '../../database/transact.ts'
import { isId } from '../../listings/listing.ts'
import { broadcastPayment } from '../payment/broadcast-payment.ts'
import { type CheckedPayment, checkOnChain, decodePayment } from '../payment/check-payment.ts'
import { findPayment, insertPayment, type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { findPurchase, lockPurchase, type PurchaseRow } from '../purchase-store.ts'
import { isRefundable } from './case.ts'
import { type CaseRow, expectRefund, findCase, lockCase, moveCase } from './case-store.ts'

interface OpenCase {
  row: CaseRow
  purchase: PurchaseRow
}

const FIRST_SEARCH_SECONDS = 2

/**
 * Prepares the seller's refund of a case: an unsigned transaction with a reference of its own. Asking again returns the same
 * reference with a fresh blockhash. From now on the refund may land, even sent by the seller's wallet alone, so the listing is not
 * delivered until the chain has proved that the refund can't land.
 * @throws CASE_NOT_FOUND, NOT_YOUR_REFUND, CASE_NOT_OPEN or CHAIN_DOWN
 */
export async function prepareRefund(deps: PurchaseDeps, seller: WalletAddress, caseId: string) {
  const { row, purchase } = await requireCase(deps, seller, caseId)
  if (purchase.genesisHash !== (await deps.chain.genesisHash())) throw new Failure('CASE_NOT_OPEN')
  const { blockhash, lastValidBlockHeight } = await deps.chain.latestBlockhash()
  // A wallet may insert a newer blockhash when its owner finally approves, so allow the same time again.
  const expiryHeight = lastValidBlockHeight + BLOCKHASH_BLOCKS
  const reference = await inTransaction(deps.database, async (tx) => {
    await lockPurchase(tx, purchase.id)
    requireOpen(await lockCase(tx, caseId))
    return expectRefund(tx, caseId, {
      reference: deps.references.make('refund', seller),
      expiryHeight,
      reconcileSeconds: FIRST_SEARCH_SECONDS,
    })
  })
  const { buyer } = purchase
  const { lamports } = row
  const transaction = buildPayment({ from: seller, transfers: [{ to: buyer, lamports }], reference, blockhash, lastValidBlockHeight })
  return { caseId, buyer, price: lamportsToSol(lamports), lamports: lamports.toString(), reference, transaction }
}

/**
 * Records the seller's signed refund and then broadcasts it; from then on the listing of this case can't be delivered any more. The
 * same bytes get the same answer again.
 * @throws what `prepareRefund` throws, PAYMENT_REFUSED or PAYMENT_DIFFERS
 */
export async function submitRefund(deps: PurchaseDeps, seller: WalletAddress, caseId: string, base64: string): Promise<Signature> {
  const { row, purchase } = await requireCase(deps, seller, caseId)
  const { lamports, refundReference: reference } = row
  if (reference === null) throw new Failure('PAYMENT_REFUSED', { detail: 'prepare the refund first.' })
  const transaction = decodePayment(base64, { from: seller, transfers: [{ to: purchase.buyer, lamports }], reference })
  let refund = await findPayment(deps.database, transaction.signature)
  if (!refund) {
    requireOpen(row)
    refund = await recordRefund(deps, { row, purchase }, await checkOnChain(deps.chain, transaction))
  }
  if (refund.status === 'recorded') await broadcastPayment(deps, purchase, refund)
  return refund.signature
}

async function recordRefund({ database, chain }: PurchaseDeps, { row, purchase }: OpenCase, payment: CheckedPayment): Promise<PaymentRow> {
  const { signature, bytes, expiryHeight } = payment
  const genesisHash = await chain.genesisHash()
  if (genesisHash !== purchase.genesisHash) throw new Failure('CASE_NOT_OPEN')
  return inTransaction(database, async (tx) => {
    await lockPurchase(tx, purchase.id)
    const locked = await lockCase(tx, row.id)
    const known = await findPayment(tx, signature)
    if (known) return known
    requireOpen(locked)
    const landing = { signature, genesisHash, transactionBytes: Buffer.from(bytes), expiryHeight }
    const owner = { purchaseId: purchase.id, caseId: row.id, kind: 'refund', status: 'recorded' } as const
    const recorded = await insertPayment(tx, { ...landing, ...owner })
    await moveCase(tx, row.id, { status: 'refunding', reconcileSeconds: 0 })
    return recorded
  })
}

async function requireCase({ database }: PurchaseDeps, seller: WalletAddress, caseId: string): Promise<OpenCase> {
  const row = isId(caseId) ? await findCase(database, caseId) : undefined
  const purchase = row?.purchaseId && (await findPurchase(database, row.purchaseId))
  if (!row || !purchase) throw new Failure('CASE_NOT_FOUND')
  if (purchase.buyer === seller) throw new Failure('NOT_YOUR_REFUND')
  if (row.seller !== seller) throw new Failure('CASE_NOT_FOUND')
  return { row, purchase }
}

function requireOpen(row: CaseRow | undefined): void {
  if (!row || !isRefundable(row)) throw new Failure('CASE_NOT_OPEN')
}
