/** The steps of a purchase as the buyer sees them, in order. */
export type PurchaseStep = 'approve' | 'sent' | 'confirmed' | 'delivered'

/** Of a wallet that took too long: it is being asked once more, or it will be when the buyer says so. */
export type Again = 'asked' | 'waits'

/** A change in a purchase under way. */
export interface Progress {
  step?: PurchaseStep
  /** At the hold: the milliseconds left to pay. */
  payMillisLeft?: number
  /** The server is too busy for the purchase: the milliseconds until the next attempt. */
  retryMillis?: number
  again?: Again
  /** The server has not said what becomes of the signed payment, which is submitted again until it does. */
  unanswered?: true
}
