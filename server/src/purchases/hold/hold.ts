import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { FEE_RESERVE_LAMPORTS, MAX_OPEN_HOLDS, SIGNATURE_FEE_LAMPORTS } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'
import { type EndReason } from '@juicebar/contract/schemas'

export interface HoldableListing {
  seller: WalletAddress
  status: string
  heldBy: string | null
}

/** @throws OWN_LISTING, LISTING_NOT_ACTIVE or LISTING_HELD if this buyer cannot hold the listing. */
export function requireBuyable(listing: HoldableListing, buyer: WalletAddress): void {
  if (listing.seller === buyer) throw new Failure('OWN_LISTING')
  if (listing.status !== 'active') throw new Failure('LISTING_NOT_ACTIVE')
  if (listing.heldBy !== null) throw new Failure('LISTING_HELD')
}

export interface OpenHold {
  seller: WalletAddress
  priceLamports: bigint
}

/**
 * @throws TOO_MANY_HOLDS for a fourth open hold, and AMBIGUOUS_HOLD for one whose payment could not be told from another's: without
 * a reference, a payment is known by its buyer, seller and amount alone.
 */
export function requireRoomForHold(holds: readonly OpenHold[], wanted: OpenHold): void {
  if (holds.length >= MAX_OPEN_HOLDS) throw new Failure('TOO_MANY_HOLDS')
  const ambiguous = holds.some((hold) => hold.seller === wanted.seller && hold.priceLamports === wanted.priceLamports)
  if (ambiguous) throw new Failure('AMBIGUOUS_HOLD')
}

/**
 * The lamports a wallet needs to pay for all of its holds: the prices, a fee for each transaction with a reserve for priority fees,
 * and the rent-exempt minimum, below which the chain refuses to leave an account.
 */
export function solNeeded(prices: readonly bigint[], rentExemptMinimum: Lamports): bigint {
  const fees = BigInt(prices.length) * SIGNATURE_FEE_LAMPORTS + FEE_RESERVE_LAMPORTS
  return prices.reduce((total, price) => total + price, fees + rentExemptMinimum)
}

const COOLDOWN_MINUTES = 10
const LONGEST_COOLDOWN_MINUTES = 24 * 60

/**
 * Minutes before a wallet may hold a listing again that it held without paying: ten, doubled by each further hold that it let lapse
 * within 24 hours, up to a day.
 */
export function cooldownMinutes(lapses: number): number {
  return Math.min(COOLDOWN_MINUTES * 2 ** Math.max(0, lapses - 1), LONGEST_COOLDOWN_MINUTES)
}

/** What decides how an open hold ends. */
export interface HoldState {
  serverSends: boolean
  cancelRequested: boolean
  windowClosed: boolean
  /** Signed bytes are recorded for it. */
  paymentRecorded: boolean
}

/**
 * The reason to end a hold without asking the chain: only this product would have sent its payment, and never received one.
 * @returns undefined if a payment may be on its way.
 */
export function endsUnsent(hold: HoldState): EndReason | undefined {
  if (!hold.serverSends || hold.paymentRecorded) return undefined
  if (hold.cancelRequested) return 'cancelled'
  return hold.windowClosed ? 'lapsed' : undefined
}

/** The reason to end a hold once the chain has proved that no payment came and none can come any more. */
export function endsUnpaid(hold: HoldState): EndReason | undefined {
  if (!hold.windowClosed) return undefined
  if (hold.paymentRecorded) return 'expired'
  return hold.cancelRequested ? 'cancelled' : 'lapsed'
}
