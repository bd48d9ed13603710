import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports, lamportsToSol } from '@juicebar/contract/money'

import { BLOCKHASH_BLOCKS } from '../../chain/chain.ts'
import { buildPayment } from '../../chain/transactions/signed-transaction.ts'
import { inTransaction } from '../../database/transact.ts'
import { broadcastPayment } from '../payment/broadcast-payment.ts'
import { type CheckedPayment, checkOnChain, decodePayment } from '../payment/check-payment.ts'
import { findPayment, insertPayment, type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { lockPurchase } from '../purchase-store.ts'
import { expectRefund, keepRefundReference, lockCase, moveCase } from './case-store.ts'
import { requireCase, requireOpen, type SellersCase } from './read-case.ts'
import { reserveRefund } from './reserve-refund.ts'

const FIRST_SEARCH_SECONDS = 2

/**
 * Prepares the seller's refund of a case: an unsigned transaction with a reference of its own. Asking again returns the same
 * reference with a fresh blockhash. A refund that the market does not sign may land from now on, even sent by the seller's wallet alone, so
 * the listing is not delivered until the chain has proved that the refund can't land. One that it signs changes nothing yet.
 * @throws CASE_NOT_FOUND, NOT_YOUR_REFUND, CASE_NOT_OPEN, CO_SIGN_OFF or CHAIN_DOWN
 */
export async function prepareRefund(deps: PurchaseDeps, seller: WalletAddress, caseId: string, { coSigned = false } = {}) {
  if (coSigned && !deps.settings.coSign) throw new Failure('CO_SIGN_OFF')
  const { row, subject } = await requireCase(deps, seller, caseId)
  if (subject.genesisHash !== (await deps.chain.genesisHash())) throw new Failure('CASE_NOT_OPEN')
  const { blockhash, lastValidBlockHeight } = await deps.chain.latestBlockhash()
  const { reference, lamports } = await expect(deps, { row, subject }, seller, coSigned ? undefined : lastValidBlockHeight)
  const { buyer } = subject
  const coSigner = coSigned ? deps.coSigners.refund : undefined
  const transaction = buildPayment({
    from: seller,
    transfers: [{ to: buyer, lamports }],
    reference,
    ...(coSigner !== undefined && { coSigner }),
    blockhash,
    lastValidBlockHeight,
  })
  const terms = { buyer, price: lamportsToSol(lamports), lamports: lamports.toString() }
  return { caseId, ...terms, reference, coSigner: coSigner ?? null, transaction }
}

/**
 * Notes what was prepared.
 * @param lastValidBlockHeight of a refund that the seller's wallet may send by itself
 * @returns the reference that counts, and what is to be paid back: from now on nothing more adds up in the case
 */
async function expect(
  { database, references }: PurchaseDeps,
  { row, subject }: SellersCase,
  seller: WalletAddress,
  lastValidBlockHeight: bigint | undefined,
): Promise<{ reference: WalletAddress; lamports: Lamports }> {
  return inTransaction(database, async (tx) => {
    if (subject.id !== null) await lockPurchase(tx, subject.id)
    const locked = await lockCase(tx, row.id)
    requireOpen(locked)
    const { lamports } = locked
    const reference = references.make('refund', seller)
    if (lastValidBlockHeight === undefined) return { lamports, reference: await keepRefundReference(tx, row.id, reference) }
    // A wallet may insert a newer blockhash when its owner finally approves, so allow the same time again.
    const expiryHeight = lastValidBlockHeight + BLOCKHASH_BLOCKS
    return { lamports, reference: await expectRefund(tx, row.id, { reference, expiryHeight, reconcileSeconds: FIRST_SEARCH_SECONDS }) }
  })
}

/**
 * Records the seller's signed refund and then broadcasts it; from then on the listing of this case can't be delivered any more. The
 * same bytes get the same answer again.
 * @throws what `prepareRefund` and `reserveRefund` throw, PAYMENT_REFUSED or PAYMENT_DIFFERS
 */
export async function submitRefund(deps: PurchaseDeps, seller: WalletAddress, caseId: string, base64: string): Promise<Signature> {
  const { coSigners } = deps
  const { row, subject } = await requireCase(deps, seller, caseId)
  const { lamports, refundReference: reference } = row
  if (reference === null) throw new Failure('PAYMENT_REFUSED', { detail: 'prepare the refund first.' })
  const expected = { from: seller, transfers: [{ to: subject.buyer, lamports }], reference }
  const keys = [coSigners.refund, ...coSigners.formerRefunds]
  const transaction = decodePayment(base64, expected, keys)
  const coSigner = keys.find((key) => transaction.signers.includes(key))
  if (coSigner !== undefined) return reserveRefund(deps, { row, subject }, { seller, reference, transaction, coSigner })
  let refund = await findPayment(deps.database, transaction.signature)
  if (!refund) {
    requireOpen(row)
    refund = await recordRefund(deps, { row, subject }, await checkOnChain(deps.chain, transaction))
  }
  if (refund.status === 'recorded') await broadcastPayment(deps, subject, refund)
  return refund.signature
}

async function recordRefund(
  { database, chain }: PurchaseDeps,
  { row, subject }: SellersCase,
  payment: CheckedPayment,
): Promise<PaymentRow> {
  const { signature, bytes, expiryHeight } = payment
  const genesisHash = await chain.genesisHash()
  if (genesisHash !== subject.genesisHash) throw new Failure('CASE_NOT_OPEN')
  return inTransaction(database, async (tx) => {
    if (subject.id !== null) await lockPurchase(tx, subject.id)
    const locked = await lockCase(tx, row.id)
    const known = await findPayment(tx, signature)
    if (known) return known
    requireOpen(locked)
    const landing = { signature, genesisHash, transactionBytes: Buffer.from(bytes), expiryHeight }
    const owner = { purchaseId: subject.id, caseId: row.id, kind: 'refund', status: 'recorded' } as const
    const recorded = await insertPayment(tx, { ...landing, ...owner })
    await moveCase(tx, row.id, { status: 'refunding', reconcileSeconds: 0 })
    return recorded
  })
}
