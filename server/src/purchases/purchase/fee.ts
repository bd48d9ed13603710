import { type WalletAddress } from '@juicebar/contract/addresses'
import { feeAt } from '@juicebar/contract/money'

/** The fee's terms, fixed when a purchase is held; later changes of the setting do not affect them. */
export interface FeeTerms {
  /** Hundredths of a percent. */
  basisPoints: number
  /** Who receives it; undefined only if there is none. */
  wallet: WalletAddress | undefined
}

interface PaidItem {
  seller: string
  /** What its seller gets. */
  lamports: bigint
}

/**
 * What a buyer pays the fee wallet for these items, in lamports: the rate of their total, rounded down. Items that the fee wallet sells or
 * buys itself are free of the fee.
 * @param buyer undefined if not known yet
 */
export function feeOf(items: readonly PaidItem[], terms: FeeTerms, buyer: string | undefined): bigint {
  return feeShares(items, terms, buyer).reduce((sum, share) => sum + share, 0n)
}

/** Each item's share of the fee, in the order of the items, in lamports: how much each adds to the fee of those before it. */
export function feeShares(items: readonly PaidItem[], { basisPoints, wallet }: FeeTerms, buyer: string | undefined): bigint[] {
  if (wallet === undefined || buyer === wallet) return items.map(() => 0n)
  let total = 0n
  let fee = 0n
  return items.map(({ seller, lamports }) => {
    if (seller === wallet) return 0n
    total += lamports
    const share = feeAt(total, basisPoints) - fee
    fee += share
    return share
  })
}
