import { type WalletAddress } from '@juicebar/contract/addresses'

/** Wallets that never completed a purchase get at most one in so many simulations while others wait. */
const SHARE_OF_NEWCOMERS = 3

/** A simulation under way, or about to be. */
export interface Turn {
  buyer: WalletAddress
  hasBought: boolean
}

/**
 * Whether one more simulation may begin: one at a time for each wallet, because each costs a request to the chain and the wallet nothing;
 * and while requests wait, wallets that never completed a purchase leave most of them to the others. One of them may always begin.
 */
export function mayBegin(underWay: readonly Turn[], next: Turn, { saturated }: { saturated: boolean }): boolean {
  if (underWay.some(({ buyer }) => buyer === next.buyer)) return false
  if (next.hasBought || !saturated) return true
  const newcomers = underWay.filter(({ hasBought }) => !hasBought).length
  return newcomers === 0 || (newcomers + 1) * SHARE_OF_NEWCOMERS <= underWay.length + 1
}
