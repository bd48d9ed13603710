import { messages } from '@juicebar/contract/messages'
import { solToLamports } from '@juicebar/contract/money'
import { type Listing, type Purchase } from '@juicebar/contract/schemas'

/** What paying for a listing needs to know of it. */
export type BoughtListing = Pick<Listing, '_id' | 'seller' | 'tokenType' | 'tokenName' | 'amount' | 'price'>

/** The steps of a purchase as the buyer sees them, in order. */
export const purchaseSteps = ['approve', 'sent', 'confirmed', 'delivered'] as const
export type PurchaseStep = (typeof purchaseSteps)[number]

export const stepLabels: Record<PurchaseStep, string> = {
  approve: 'Approve in your wallet',
  sent: 'Sent',
  confirmed: 'Confirmed',
  delivered: 'Delivered',
}

/** What is new about a purchase under way. */
export interface Progress {
  step?: PurchaseStep
  /** At the hold: the milliseconds left to pay. */
  payMillisLeft?: number
  /** The server is too busy to hold the listing: the milliseconds until it is asked again. */
  retryMillis?: number
}

/** The last step that a purchase has reached. */
export function stepOf(purchase: Pick<Purchase, 'stage'>): PurchaseStep {
  return purchase.stage === 'none' ? 'approve' : purchase.stage
}

/**
 * Why a wallet can't buy a listing, in the specification's words; undefined if it can.
 *
 * @param sol the wallet's balance in lamports; undefined if it is not known, which is left to the server
 */
export function refusalToBuy(listing: Listing, walletAddress: string, sol: bigint | undefined): string | undefined {
  if (listing.seller === walletAddress) return messages.ownListing
  const price = solToLamports(listing.price)
  if (sol !== undefined && price !== undefined && sol < price) return messages.insufficientSol
  return undefined
}

/** True if a hold asks for exactly what the buyer confirmed: that price, to that seller. */
export function isAsConfirmed(listing: BoughtListing, hold: { seller: string; lamports: string }): boolean {
  return hold.seller === listing.seller && hold.lamports === String(solToLamports(listing.price))
}
