import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { FEE_RESERVE_LAMPORTS, MAX_ITEMS } from '@juicebar/contract/limits'
import { type Lamports } from '@juicebar/contract/money'

import { isId } from '../../listings/listing.ts'
import { type FeeTerms } from '../fee.ts'

export interface OrderedItem {
  listingId: string
  /** How many drinks; undefined for everything that is left. */
  amount?: number | undefined
}

/** What a buyer wants to buy, before anything is known about it. */
export interface BuyOrder {
  /** hold: the buyer pays by himself. payment: the buyer has signed, or is about to, what only the market can send. */
  kind: 'hold' | 'payment'
  buyer: WalletAddress
  items: readonly OrderedItem[]
  /** The client pays all transfers of the purchase. */
  paysTransfers: boolean
  /** The most that the buyer will pay in total, including the fee. */
  mostLamports?: bigint | undefined
  /** The studio's fee as it is now. */
  fee: FeeTerms
  /** Of a hold: where it comes from, as a keyed hash, and how much wallets that never completed a purchase may hold from there together. */
  network?: { hash: Buffer; mostItems: number } | undefined
  /** Of a signed payment. */
  payment?: PaymentName | undefined
  /** What the chain has answered; undefined if it was not asked yet. */
  funds?: Funds | undefined
}

/** What tells a co-signed payment apart from every other. */
export interface PaymentName {
  /** SHA-256 of the message that its signers sign. */
  messageHash: Buffer
  reference: WalletAddress
}

/** What the chain says of the accounts that an order moves SOL between, in lamports. */
export interface Funds {
  /** What the buyer can spend on prices and network fees; of a payment, beside it: what is left once it is carried out. */
  spendable: bigint
  /** The network's fee for one payment. */
  networkFee: bigint
  /** The chain refuses to leave an account with less. */
  rentExemptMinimum: bigint
  /** The balances of sellers who would receive less than that; undefined if the payment was simulated, which shows as much. */
  balances?: ReadonlyMap<WalletAddress, bigint>
}

/**
 * Checks everything about the items of an order that can be checked without other data.
 * @returns the items with their identifiers as the database writes them
 * @throws TOO_MANY_ITEMS, LISTING_NOT_FOUND, SAME_LISTING_TWICE
 */
export function soundItems(items: readonly OrderedItem[]): OrderedItem[] {
  if (items.length > MAX_ITEMS) throw new Failure('TOO_MANY_ITEMS')
  const seen = new Set<string>()
  return items.map(({ listingId: text, amount }) => {
    const listingId = text.toLowerCase()
    if (!isId(text)) throw new Failure('LISTING_NOT_FOUND', { listingId: text })
    if (seen.has(listingId)) throw new Failure('SAME_LISTING_TWICE', { listingId: text })
    seen.add(listingId)
    return { listingId, amount }
  })
}

/**
 * The lamports that a wallet has for prices and transaction fees. The rest is a reserve for priority fees, and the rent-exempt
 * minimum, below which the chain refuses to leave an account. May be negative.
 */
export function spendableLamports(balance: Lamports, rentExemptMinimum: Lamports): bigint {
  return balance - FEE_RESERVE_LAMPORTS - rentExemptMinimum
}
