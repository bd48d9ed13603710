import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { lamportsToSol } from '@juicebar/contract/money'

import { buildTransfer } from '../chain/signed-transaction.ts'
import { inTransaction } from '../database/transact.ts'
import { isId } from '../listings/listing.ts'
import { isRefundable } from './case.ts'
import { type CaseRow, findCase, lockCase, moveCase, setRefundReference } from './case-store.ts'
import { type CheckedPayment, checkOnChain, readPayment } from './check-payment.ts'
import { findPayment, insertPayment } from './payment-store.ts'
import { type PurchaseDeps } from './purchase-deps.ts'
import { findPurchase, type PurchaseRow } from './purchase-store.ts'
import { newReference } from './reference.ts'

interface OpenCase {
  row: CaseRow
  purchase: PurchaseRow
}

/**
 * Prepares the seller's refund of a case: an unsigned transaction with a reference of its own. Asking again gives the same
 * reference with a fresh blockhash. Fails with CASE_NOT_FOUND, NOT_YOUR_REFUND, CASE_NOT_OPEN or CHAIN_DOWN.
 */
export async function prepareRefund(deps: PurchaseDeps, seller: WalletAddress, caseId: string) {
  const { row, purchase } = await requireCase(deps, seller, caseId)
  const { blockhash, lastValidBlockHeight } = await deps.chain.latestBlockhash()
  const reference = await inTransaction(deps.database, async (tx) => {
    requireOpen(await lockCase(tx, caseId))
    return setRefundReference(tx, caseId, newReference())
  })
  const transaction = buildTransfer({
    from: seller,
    to: purchase.buyer,
    lamports: row.lamports,
    reference,
    blockhash,
    lastValidBlockHeight,
  })
  return { caseId, buyer: purchase.buyer, price: lamportsToSol(row.lamports), lamports: row.lamports.toString(), reference, transaction }
}

/**
 * Takes the seller's signed refund, records it and then sends it; from then on the lot of this case can't be delivered any more.
 * The same bytes answer the same again. Fails like `prepareRefund`, and with PAYMENT_REFUSED or PAYMENT_DIFFERS.
 */
export async function submitRefund(deps: PurchaseDeps, seller: WalletAddress, caseId: string, base64: string): Promise<Signature> {
  const { row, purchase } = await requireCase(deps, seller, caseId)
  const { lamports, refundReference: reference } = row
  if (reference === null) throw new Failure('PAYMENT_REFUSED', { detail: 'prepare the refund first.' })
  const transaction = readPayment(base64, { from: seller, to: purchase.buyer, lamports, reference })
  if (!(await findPayment(deps.database, transaction.signature))) {
    requireOpen(row)
    await recordRefund(deps, { row, purchase }, await checkOnChain(deps.chain, transaction))
  }
  // The bytes are safe now: a failed broadcast is repeated by the watcher.
  await deps.chain
    .broadcast(transaction.bytes)
    .catch((error: unknown) => deps.log.warn({ err: error, caseId }, 'first broadcast of a refund failed'))
  return transaction.signature
}

async function recordRefund({ database, chain }: PurchaseDeps, { row, purchase }: OpenCase, payment: CheckedPayment): Promise<void> {
  const genesisHash = await chain.genesisHash()
  if (genesisHash !== purchase.genesisHash) throw new Failure('CASE_NOT_OPEN')
  await inTransaction(database, async (tx) => {
    requireOpen(await lockCase(tx, row.id))
    const { signature, wire, expiryHeight } = payment
    await insertPayment(tx, {
      signature,
      kind: 'refund',
      purchaseId: purchase.id,
      caseId: row.id,
      genesisHash,
      wire: Buffer.from(wire),
      expiryHeight,
      status: 'recorded',
    })
    await moveCase(tx, row.id, 'refunding', 0)
  })
}

async function requireCase({ database }: PurchaseDeps, seller: WalletAddress, caseId: string): Promise<OpenCase> {
  const row = isId(caseId) ? await findCase(database, caseId) : undefined
  const purchase = row && (await findPurchase(database, row.purchaseId))
  if (!row || !purchase) throw new Failure('CASE_NOT_FOUND')
  if (purchase.buyer === seller) throw new Failure('NOT_YOUR_REFUND')
  if (purchase.seller !== seller) throw new Failure('CASE_NOT_FOUND')
  return { row, purchase }
}

function requireOpen(row: CaseRow | undefined): void {
  if (!row || !isRefundable(row.kind, row.status)) throw new Failure('CASE_NOT_OPEN')
}
