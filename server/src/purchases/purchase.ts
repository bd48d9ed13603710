import { type WalletAddress } from '@juicebar/contract/addresses'
import { FEE_RESERVE_LAMPORTS, MAX_OPEN_HOLDS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports } from '@juicebar/contract/money'
import { type Commitment } from '../chain/chain.ts'

/** The commitment at which tokens move. */
export type SettleAt = 'confirmed' | 'finalized'

export interface PurchaseSettings {
  settleAt: SettleAt
  holdSeconds: number
}

export interface Lot {
  seller: WalletAddress
  status: string
  heldBy: string | null
}

/** Refuses a lot that this buyer cannot hold: OWN_LISTING, LISTING_NOT_ACTIVE or LISTING_HELD. */
export function requireBuyable(lot: Lot, buyer: WalletAddress): void {
  if (lot.seller === buyer) throw new Failure('OWN_LISTING')
  if (lot.status !== 'active') throw new Failure('LISTING_NOT_ACTIVE')
  if (lot.heldBy !== null) throw new Failure('LISTING_HELD')
}

export interface OpenHold {
  seller: WalletAddress
  priceLamports: bigint
}

/** Refuses a fourth open hold (TOO_MANY_HOLDS), and one that could not be told from another by its payment (AMBIGUOUS_HOLD). */
export function requireRoomForHold(holds: readonly OpenHold[], wanted: OpenHold): void {
  if (holds.length >= MAX_OPEN_HOLDS) throw new Failure('TOO_MANY_HOLDS')
  const twin = holds.some((hold) => hold.seller === wanted.seller && hold.priceLamports === wanted.priceLamports)
  if (twin) throw new Failure('AMBIGUOUS_HOLD')
}

/**
 * What a wallet must own to pay all of its holds: the prices, each transaction's fee with a reserve for priority fees, and the
 * rent-exempt minimum, below which the chain refuses to leave an account.
 */
export function solNeeded(prices: readonly bigint[], rentExemptMinimum: Lamports): bigint {
  const fees = BigInt(prices.length) * SIGNATURE_FEE_LAMPORTS + FEE_RESERVE_LAMPORTS
  return prices.reduce((total, price) => total + price, fees + rentExemptMinimum)
}

const BAR_MINUTES = 10
const LONGEST_BAR_MINUTES = 24 * 60

/** How long a wallet stays barred from a lot that it held without paying: ten minutes, doubled by every further lapse in 24 hours. */
export function cooldownMinutes(lapses: number): number {
  return Math.min(BAR_MINUTES * 2 ** Math.max(0, lapses - 1), LONGEST_BAR_MINUTES)
}

/** Whether a payment has reached the commitment at which tokens move. */
export function isSettled(commitment: Commitment, settleAt: SettleAt): boolean {
  return commitment === 'finalized' || commitment === settleAt
}

/** Blocks beyond a blockhash's life before a lot is released: endpoints lag behind each other. */
export const RELEASE_MARGIN_BLOCKS = 10n
