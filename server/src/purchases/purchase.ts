import { type Commitment } from '../chain/chain.ts'
import { type FeeTerms } from './fee.ts'

/** The commitment at which tokens move. */
export type SettleAt = 'confirmed' | 'finalized'

export interface PurchaseSettings {
  settleAt: SettleAt
  holdSeconds: number
  fee: FeeTerms
}

/** Whether a payment at this commitment moves tokens. */
export function isSettled(commitment: Commitment, settleAt: SettleAt): boolean {
  return commitment === 'finalized' || commitment === settleAt
}

/** Blocks to wait beyond a blockhash's lifetime before absence counts as proof: endpoints lag behind each other. */
export const RELEASE_MARGIN_BLOCKS = 10n
