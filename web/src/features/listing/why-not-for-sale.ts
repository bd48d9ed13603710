import { type Listing } from '@juicebar/contract/schemas'

interface Viewer {
  walletAddress: string | undefined
  /** Nothing can be bought now. */
  closed: boolean
}

/** Why a listing has no Buy button; undefined if it has one. */
export function whyNotForSale(
  { status, seller, heldUntil, waitsForStudio }: Listing,
  { walletAddress, closed }: Viewer,
): string | undefined {
  if (status === 'sold') return 'This listing has been sold.'
  if (status === 'removed') return 'Its seller has taken this listing off the market.'
  if (seller === walletAddress) return 'This is your listing.'
  if (waitsForStudio) return 'The studio has to decide about this listing.'
  if (heldUntil) return 'Another buyer is paying for this listing right now.'
  return closed ? 'Nothing can be bought at the moment.' : undefined
}
