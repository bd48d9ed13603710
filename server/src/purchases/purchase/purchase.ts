import { type WalletAddress } from '@juicebar/contract/addresses'
import { feeAt, lamports, type Lamports } from '@juicebar/contract/money'
import { type TokenType } from '@juicebar/contract/catalogue'
import { BLOCKHASH_BLOCKS, type Commitment, MOST_BLOCKS_AHEAD, MOST_SLOTS_PER_SECOND } from '../../chain/chain.ts'

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

/** How far the slots that two servers have seen may differ, and then some: what is wrong by less is not noticed anywhere. */
export const APART_SLOTS = 5_000n

/**
 * The slot to keep for a purchase in place of one that the only endpoint that answered told wrongly: the chain has still not reached it.
 * @param ageSeconds since it was placed
 * @param reached the chain's slot now, as two endpoints tell it
 * @returns at most the chain's slot at that time; undefined if the one that is kept may be right
 */
export function correctedSlot({ heldAtSlot, ageSeconds }: { heldAtSlot: bigint; ageSeconds: number }, reached: bigint): bigint | undefined {
  if (heldAtSlot <= reached) return undefined
  const corrected = reached - BigInt(Math.ceil(ageSeconds * MOST_SLOTS_PER_SECOND))
  return corrected > 0n ? corrected : 0n
}

/** One item of a purchase, as agreed. */
export interface PurchaseItem {
  /** The row that is sold: a whole listing, or a part of one. */
  listingId: string
  /** The listing that the part was split from. */
  partOf: string | null
  seller: WalletAddress
  tokenType: TokenType
  amount: number
  /** As text, because it travels as JSON. */
  lamports: string
}

/** The first item, for the fields of older clients, which know only one item. */
export function firstItem(items: readonly PurchaseItem[]): PurchaseItem {
  const [first] = items
  if (!first) throw new Error('a purchase has no items')
  return first
}

/** How many drinks the items have together. */
export function amountOf(items: readonly PurchaseItem[]): number {
  return items.reduce((total, { amount }) => total + amount, 0)
}

/** One transfer of the payment. */
export interface Transfer {
  to: WalletAddress
  lamports: Lamports
  kind: 'seller' | 'fee'
}

interface Payable {
  items: readonly PurchaseItem[]
  feeLamports: bigint
  feeWallet: WalletAddress | null
}

/** What the buyer pays: one transfer to each seller, in the order of the items, and the fee. */
export function transfersOf({ items, feeLamports, feeWallet }: Payable): Transfer[] {
  const bySeller = new Map<WalletAddress, bigint>()
  for (const item of items) bySeller.set(item.seller, (bySeller.get(item.seller) ?? 0n) + BigInt(item.lamports))
  return transfersTo(bySeller, feeWallet, feeLamports)
}

/** The same for what each seller receives in all. */
export function transfersTo(bySeller: ReadonlyMap<WalletAddress, bigint>, feeWallet: WalletAddress | null, fee: bigint): Transfer[] {
  const transfers = [...bySeller].map(([to, amount]): Transfer => ({ to, lamports: lamports(amount), kind: 'seller' }))
  return feeWallet === null ? transfers : [...transfers, { to: feeWallet, lamports: lamports(fee), kind: 'fee' }]
}
