import { transfersOf } from '../purchase/purchase.ts'
import { type PurchaseRow } from '../purchase/purchase-store.ts'
import { type PaymentTerms } from './landed-payment.ts'
import { type ExpectedPayment, findCoSignedFlaw, findPaymentFlaw } from './signed-payment.ts'
import { decodeSignedBytes } from '../../chain/transactions/signed-transaction.ts'
import { type PaymentRow } from './payment-store.ts'

/** The part of a purchase that says who pays how much to whom. */
export type AgreedColumns = Pick<PurchaseRow, 'buyer' | 'items' | 'feeLamports' | 'feeWallet' | 'reference' | 'heldAtSlot'>

/** What the chain must show for a purchase to be paid. */
export function termsOf(purchase: AgreedColumns): PaymentTerms {
  const { buyer, reference, heldAtSlot } = purchase
  return { buyer, transfers: transfersOf(purchase), reference, heldAtSlot }
}

/** What signed bytes must do to pay for a purchase. */
export function expectedPaymentOf(purchase: AgreedColumns): ExpectedPayment {
  const { buyer: from, transfers, reference } = termsOf(purchase)
  return { from, transfers, reference }
}

/** Of a payment that a server recorded before it was broadcast. */
export type RecordedPayment = Pick<PaymentRow, 'signature' | 'purchaseId' | 'kind' | 'status' | 'transactionBytes' | 'expiryHeight'>

/**
 * Whether a status is enough to settle with these bytes: the signature fixes the message, and the message can do nothing but this
 * payment, so if it succeeded, this is what happened. `coSigners`: the market's own keys, of a payment that only the market can send. Anything that the chain adds or looks up would have to be read.
 */
export function settlesOnStatus(
  { kind, status, signature, transactionBytes }: Pick<RecordedPayment, 'kind' | 'status' | 'signature' | 'transactionBytes'>,
  expected: ExpectedPayment,
  coSigners?: readonly string[],
): boolean {
  if (kind !== 'purchase' || status !== 'recorded') return false
  const transaction = decodeSignedBytes(new Uint8Array(transactionBytes))
  if (transaction?.signature !== signature || transaction.version === 1 || transaction.usesLookupTables) return false
  const flaw = coSigners ? findCoSignedFlaw(transaction, expected, coSigners, 'valid') : findPaymentFlaw(transaction, expected)
  return flaw === undefined
}
