import { messages } from '@juicebar/contract/messages'
import { solToLamports } from '@juicebar/contract/money'
import { type Listing, type Purchase } from '@juicebar/contract/schemas'

/** The lot of a purchase, in as far as paying for it needs it. */
export type Lot = Pick<Listing, '_id' | 'seller' | 'tokenType' | 'tokenName' | 'amount' | 'price'>

/** The steps of a purchase as the buyer sees them, in order. */
export const purchaseSteps = ['approve', 'sent', 'confirmed', 'delivered'] as const
export type PurchaseStep = (typeof purchaseSteps)[number]

export const stepLabels: Record<PurchaseStep, string> = {
  approve: 'Approve in your wallet',
  sent: 'Sent',
  confirmed: 'Confirmed',
  delivered: 'Delivered',
}

/** The step that a purchase waits at; `delivered` when it is through. */
export function stepOf(purchase: Pick<Purchase, 'stage'>): PurchaseStep {
  return purchase.stage === 'none' ? 'approve' : purchase.stage
}

/** Why this wallet can't buy this lot, in the specification's words; undefined where nothing speaks against it. `sol` is in lamports. */
export function refusalToBuy(listing: Listing, walletAddress: string, sol: bigint | undefined): string | undefined {
  if (listing.seller === walletAddress) return messages.ownListing
  const price = solToLamports(listing.price)
  if (sol !== undefined && price !== undefined && sol < price) return messages.insufficientSol
  return undefined
}

/** True where a hold asks for exactly what the buyer confirmed: that price, to that seller. */
export function isAsConfirmed(lot: Lot, hold: { seller: string; lamports: string }): boolean {
  return hold.seller === lot.seller && hold.lamports === String(solToLamports(lot.price))
}

/** What became of a purchase that ended without delivery: whether SOL moved, and what to do. */
export function endedText(purchase: Purchase): string {
  switch (purchase.endReason) {
    case 'cancelled':
      return 'You let this lot go. No SOL moved.'
    case 'lapsed':
      return 'The time to pay was over. No SOL moved; do not approve the payment any more.'
    case 'expired':
      return 'The network did not take your payment in time, and it can no longer land. No SOL moved. You can buy again.'
    case 'chain_gone':
      return 'The local chain was started anew, so this purchase ended. No SOL of the present chain moved.'
    default:
      return 'This purchase ended without delivery. Its history says what became of the payment.'
  }
}
