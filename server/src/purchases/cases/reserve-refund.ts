import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { hashMessage, withSignature } from '../../chain/transactions/signed-message.ts'
import { type DecodedTransaction } from '../../chain/transactions/signed-transaction.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { broadcastPayment } from '../payment/broadcast-payment.ts'
import { type CheckedPayment, checkOnChain } from '../payment/check-payment.ts'
import { findPaymentByMessage, insertPayment, type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { lockPurchase } from '../purchase-store.ts'
import { type CaseRow, expectRefund, lockCase, moveCase } from './case-store.ts'
import { requireOpen, type SellersCase } from './read-case.ts'
import { hasSeenRefund } from './seen-refund-store.ts'

/** A refund that its seller has signed, that is exactly what was prepared, and that only the market can complete. */
export interface SignedRefund {
  seller: WalletAddress
  reference: WalletAddress
  transaction: DecodedTransaction
  /** The key of the market that signs it. */
  coSigner: string
}

/** A refund that was recorded, by this call or an earlier one. */
interface Reserved {
  refund: PaymentRow
  isNew: boolean
}

/**
 * Reserves a refund, completes its bytes with the market's signature, and sends them. The reservation is made under the lock of the purchase
 * under which deliveries are made too, and only where this payment was not delivered; from then on it is not. The same message again gets the
 * same answer.
 *
 * @throws CO_SIGN_OFF, CASE_NOT_OPEN, PAYMENT_REFUSED, PAYMENT_EXPIRED, CHAIN_BUSY or CHAIN_DOWN if nothing was sent; DATABASE_DOWN: submit
 * the same bytes again
 */
export async function reserveRefund(deps: PurchaseDeps, { row, subject }: SellersCase, signed: SignedRefund): Promise<Signature> {
  const { database, chain, settings } = deps
  const messageHash = hashMessage(signed.transaction.bytes)
  const known = await findPaymentByMessage(database, messageHash)
  // Whether its commit was confirmed is not known here: reconciliation sends it.
  if (known) return known.signature
  if (!settings.coSign) throw new Failure('CO_SIGN_OFF')
  requireOpen(row)
  const checked = await checkOnChain(chain, signed.transaction, { awaitsCoSigner: signed.seller })
  const genesisHash = await chain.genesisHash()
  if (subject.genesisHash !== genesisHash) throw new Failure('CASE_NOT_OPEN')
  const { refund, isNew } = await inTransaction(database, (tx) =>
    reserve(deps, tx, { row, subject }, { ...signed, checked, genesisHash, messageHash }),
  )
  if (isNew) await broadcastPayment(deps, subject, refund)
  return refund.signature
}

type CheckedRefund = SignedRefund & { checked: CheckedPayment; genesisHash: string; messageHash: Buffer }

/** The co-signature is made here, inside the transaction. The bytes that have it leave this process only after the commit. */
async function reserve(
  { coSigners }: PurchaseDeps,
  tx: Tx,
  { row, subject: { id: purchaseId } }: SellersCase,
  { transaction, coSigner, checked, genesisHash, messageHash, reference }: CheckedRefund,
): Promise<Reserved> {
  const purchase = purchaseId === null ? undefined : await lockPurchase(tx, purchaseId)
  const locked = await lockCase(tx, row.id)
  const known = await findPaymentByMessage(tx, messageHash)
  if (known) return { refund: known, isNew: false }
  await requireUndelivered(tx, locked, purchase)
  const { signature, bytes, expiryHeight } = checked
  const complete = withSignature(bytes, coSigner, coSigners.sign(coSigner, transaction.message))
  const landing = { signature, genesisHash, messageHash, transactionBytes: Buffer.from(complete), expiryHeight }
  const refund = await insertPayment(tx, { ...landing, purchaseId, caseId: row.id, kind: 'refund', status: 'recorded' })
  // The co-signature fits every signature that the seller makes of this message: should this one expire, the chain is searched for others.
  await expectRefund(tx, row.id, { reference, expiryHeight, reconcileSeconds: 0 })
  await moveCase(tx, row.id, { status: 'refunding', reconcileSeconds: 0 })
  return { refund, isNew: true }
}

/** @throws CASE_NOT_OPEN if the payment of a case was delivered, or paid back in another way */
async function requireUndelivered(
  tx: Tx,
  locked: CaseRow | undefined,
  purchase: { signature: Signature | null } | undefined,
): Promise<void> {
  requireOpen(locked)
  const isDelivered = purchase?.signature === locked.signature
  if (isDelivered || (await hasSeenRefund(tx, locked.id))) throw new Failure('CASE_NOT_OPEN')
}
