import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { FEE_RESERVE_LAMPORTS } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'
import { type EndReason } from '@juicebar/contract/schemas'

export interface HoldOrder {
  buyer: WalletAddress
  listingId: string
  /** server: only this product broadcasts the payment. wallet: the buyer's wallet may do so too. */
  sendsThrough: 'server' | 'wallet'
}

/** Why the database refused a hold. */
export interface HoldRefusal {
  code:
    | 'LISTING_NOT_FOUND'
    | 'OWN_LISTING'
    | 'LISTING_NOT_ACTIVE'
    | 'LISTING_HELD'
    | 'COOLDOWN'
    | 'TOO_MANY_HOLDS'
    | 'AMBIGUOUS_HOLD'
    | 'INSUFFICIENT_SOL'
    | 'PAYMENT_UNDER_WAY'
    | 'HOLD_ENDED'
  /** Set for COOLDOWN: until when it lasts. */
  retrySeconds: number | undefined
  /** Set for TOO_MANY_HOLDS: how many open holds the wallet may have. */
  allowed: number | undefined
}

/** What the caller hears of a refusal. */
export function holdFailure({ code, retrySeconds, allowed }: HoldRefusal): Failure {
  if (code === 'COOLDOWN' && retrySeconds !== undefined) {
    return new Failure(code, { detail: `${Math.ceil(retrySeconds / 60)} min`, retryAfter: retrySeconds })
  }
  if (code === 'TOO_MANY_HOLDS') {
    const limit = allowed === 1 ? 'one lot at a time, because you left several unpaid within the last hour' : `${allowed} lots at a time`
    return new Failure(code, { detail: limit })
  }
  return new Failure(code)
}

/**
 * The lamports that a wallet has for prices and transaction fees. The rest is a reserve for priority fees, and the rent-exempt
 * minimum, below which the chain refuses to leave an account. May be negative.
 */
export function spendableLamports(balance: Lamports, rentExemptMinimum: Lamports): bigint {
  return balance - FEE_RESERVE_LAMPORTS - rentExemptMinimum
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
