import { transfersOf } from '../purchase-item.ts'
import { type PurchaseRow } from '../purchase-store.ts'
import { type PaymentTerms } from './landed-payment.ts'
import { type ExpectedPayment } from './signed-payment.ts'

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
