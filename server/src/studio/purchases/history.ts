import { type CaseKind, type CaseStatus, type EndReason } from '@juicebar/contract/schemas'

import { type PaymentRow } from '../../purchases/payment/payment-store.ts'
import { type PurchaseRow } from '../../purchases/purchase-store.ts'

/** A transaction of a purchase: a payment, or the refund of a case. */
export type HistoricPayment = Pick<PaymentRow, 'signature' | 'kind' | 'caseId' | 'status' | 'confirmedAt' | 'createdAt'>

export interface HistoricCase {
  id: string
  kind: CaseKind
  status: CaseStatus
  signature: string
  seller: string | null
  lamports: bigint
  feeLamports: bigint
  deliverable: boolean
  note: string | null
  openedAt: Date
  closedAt: Date | null
}

/** Everything that is known about the history of a purchase. */
export interface PurchaseHistory extends PurchaseRow {
  endReason: EndReason | null
  endedAt: Date | null
  reconciledAt: Date | null
  /** When the payment window closes, outages included. */
  payUntil: Date
  /** By the database's clock, when this was read. */
  now: Date
  payments: readonly HistoricPayment[]
  cases: readonly HistoricCase[]
}
