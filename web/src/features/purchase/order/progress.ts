/** The steps of a purchase as the buyer sees them, in order. */
export type PurchaseStep = 'approve' | 'sent' | 'confirmed' | 'delivered'

/** A change in a purchase under way. */
export interface Progress {
  step?: PurchaseStep
  /** At the hold: the milliseconds left to pay. */
  payMillisLeft?: number
  /** The server is too busy to hold anything: the milliseconds until the next attempt. */
  retryMillis?: number
}
