import { BLOCKHASH_BLOCKS, type Commitment, MOST_BLOCKS_AHEAD } from '../chain/chain.ts'
import { type FeeTerms } from './fee.ts'

/** The commitment at which tokens move. */
export type SettleAt = 'confirmed' | 'finalized'

export interface PurchaseSettings {
  settleAt: SettleAt
  holdSeconds: number
  /** Listings that wallets without a completed purchase hold together from one network, at most. */
  networkHolds: number
  fee: FeeTerms
  /** Buyers can pay with payments that only the market can send. */
  coSign: boolean
  /** Whether a buyer's wallet may send its payment by itself; referenced: only with the purchase's reference. */
  walletSends: 'any' | 'referenced' | 'off'
}

/** Whether a payment at this commitment moves tokens. */
export function isSettled(commitment: Commitment, settleAt: SettleAt): boolean {
  return commitment === 'finalized' || commitment === settleAt
}

/** Blocks to wait beyond a blockhash's lifetime before absence counts as proof: endpoints lag behind each other. */
export const RELEASE_MARGIN_BLOCKS = 10n

/** The height above which nothing can land that was signed while the chain was at this one. */
export function lastHeightOf(blockHeight: bigint): bigint {
  return blockHeight + BLOCKHASH_BLOCKS + RELEASE_MARGIN_BLOCKS
}

/**
 * Whether a height was stored that nothing signed by then can reach, because an endpoint had told a wrong one.
 * @param blockHeight the chain's, now or earlier: heights only rise, and every endpoint that answers may be behind
 */
export function isOutOfReach(stored: bigint, blockHeight: bigint): boolean {
  return stored > blockHeight + 2n * MOST_BLOCKS_AHEAD
}
