import { type Purchase } from '@juicebar/contract/schemas'

import { type PurchaseStep } from './order/progress.ts'

/** The steps of a purchase as the buyer sees them, in order. */
export const purchaseSteps = ['approve', 'sent', 'confirmed', 'delivered'] as const satisfies PurchaseStep[]

export const stepLabels: Record<PurchaseStep, string> = {
  approve: 'Approve in your wallet',
  sent: 'Sent',
  confirmed: 'Confirmed',
  delivered: 'Delivered',
}

/** The last step that a purchase has reached. */
export function stepOf(purchase: Pick<Purchase, 'stage'>): PurchaseStep {
  return purchase.stage === 'none' ? 'approve' : purchase.stage
}
