import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type CheckoutStatus } from '@juicebar/contract/schemas'
import { type Restriction, type TokenRule } from '../../restrictions/restriction.ts'
import { type Transfer, transfersTo } from '../purchase/purchase.ts'
import { type Refusal } from './order.ts'

/** A purchase that its buyer left unpaid. */
export interface Abandonment {
  at: Date
  /** Its listings, and those that they were parts of. */
  listingIds: readonly string[]
}

/** As the database tells it: `abandonments` in functions/reservations.sql. */
export interface AbandonmentRow {
  at: string
  listingIds: string[]
}

export function readAbandonments(rows: readonly AbandonmentRow[]): Abandonment[] {
  return rows.map(({ at, listingIds }) => ({ at: new Date(at), listingIds }))
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const FIRST_COOLDOWN = 10 * MINUTE
/** No more fit into a day. */
const MOST_COUNTED = 9
const TOO_OFTEN = 3

/**
 * Until when a wallet may not reserve a listing again, or a part of it: for 10 minutes after the second purchase of it that the wallet
 * abandons within 24 hours, doubled by each further one. Undefined if it has abandoned fewer.
 */
export function cooldownUntil(abandoned: readonly Abandonment[], listingId: string): Date | undefined {
  const times = abandoned.filter(({ listingIds }) => listingIds.includes(listingId)).map(({ at }) => at.getTime())
  const last = Math.max(...times)
  const count = Math.min(times.filter((time) => time > last - 24 * HOUR).length, MOST_COUNTED)
  return count < 2 ? undefined : new Date(last + FIRST_COOLDOWN * 2 ** (count - 2))
}

/** Whether a wallet has abandoned three purchases within an hour: then it may have one item under way. */
export function abandonsTooOften(abandoned: readonly Abandonment[], now: Date): boolean {
  return abandoned.filter(({ at }) => at.getTime() > now.getTime() - HOUR).length >= TOO_OFTEN
}

/**
 * Until when a wallet may not pay again: for 10 minutes after the third payment within an hour that the chain refused, or that expired
 * because the wallet lacked the SOL for it or had signed it with an old blockhash. Undefined if there were fewer.
 */
export function failureCooldownUntil(failed: readonly Date[]): Date | undefined {
  const times = failed.map((at) => at.getTime()).toSorted((a, b) => b - a)
  const [last, third] = [times[0], times[TOO_OFTEN - 1]]
  return last !== undefined && third !== undefined && third > last - HOUR ? new Date(last + FIRST_COOLDOWN) : undefined
}

/** A listing as the database has it. */
export interface ListingFacts {
  id: string
  seller: WalletAddress
  tokenType: TokenType
  /** What is left of it. */
  amount: number
  /** The price of all that is left. */
  lamports: bigint
  /** How much its seller last priced, and for how much: what a part costs follows from these. */
  wholeAmount: number
  wholeLamports: bigint
  divisible: boolean
  status: 'active' | 'reserved' | 'sold' | 'removed' | 'merged'
  /** The listing that this part was split from. */
  partOf: string | null
  /** Its seller's listings are neither sold nor returned, see `is_frozen`. */
  frozen: boolean
  /** Who is buying it. */
  heldBy: WalletAddress | null
}

/** A purchase that the buyer has under way. */
export interface OpenPurchase {
  id: string
  items: readonly { listingId: string; partOf: string | null; tokenType: TokenType; amount: number; lamports: bigint }[]
  sellers: readonly WalletAddress[]
  /** Without the fee. */
  lamports: bigint
  fee: { lamports: bigint; basisPoints: number }
  /** Only the market can send its payment. */
  coSigned: boolean
  /** The public identifier of the checkout that it is for. */
  checkout: string | null
  /** Cancelled, or the payment window has closed. */
  closed: boolean
  /** Of the recorded payment; null if none is. */
  signature: Signature | null
  /** The chain has confirmed the payment, so the wallet's balance no longer has it. */
  confirmed: boolean
}

/** What a game has asked a player to pay for. */
export interface CheckoutFacts {
  id: string
  status: CheckoutStatus
  tokenType: TokenType
  amount: number
  /** The most that it may cost, the fee included. */
  maxLamports: bigint | null
  /** The only wallet that may pay. */
  wallet: WalletAddress | null
}

/** What the market knows of a co-signed payment. */
export interface KnownPayment {
  /** The reservation of the same message. */
  reserved: { purchaseId: string; signature: Signature } | null
  /** Why the same message was refused before. */
  refused: Pick<Refusal, 'code' | 'detail' | 'listingId'> | null
  /** Another message has the reference. */
  referenceUsed: boolean
  /** The block heights up to which refused payments of the buyer could have landed. */
  refusals: readonly bigint[]
}

/** All that decides whether an order may be reserved, read by one statement. */
export interface ReservationFacts {
  now: Date
  /** The market's pause, or the buyer's block. */
  restriction: { code: 'PAUSED' | 'BLOCKED'; restriction: Restriction } | null
  /** Those of the ordered listings that exist. */
  listings: ReadonlyMap<string, ListingFacts>
  /** The studio's rules, of the ordered items. */
  rules: ReadonlyMap<TokenType, TokenRule>
  /** What was delivered to the buyer today, by UTC, of items with a rule about it. */
  boughtToday: ReadonlyMap<TokenType, bigint>
  open: readonly OpenPurchase[]
  /** What the buyer has lately left unpaid. */
  abandoned: readonly Abandonment[]
  /** When co-signed purchases have lately ended because the chain refused the payment, or its buyer saw to it that it could not land. */
  failed: readonly Date[]
  /** The buyer has completed a purchase. */
  hasBought: boolean
  /** Items that wallets without a completed purchase hold from the order's network. */
  networkItems: number
  /** What the buyer has of the ordered items. */
  balances: ReadonlyMap<TokenType, number>
  /** Of a payment. */
  known: KnownPayment | undefined
  /** The order's; undefined if it names none, or one that does not exist. */
  checkout: CheckoutFacts | undefined
}

export interface PlannedItem {
  listingId: string
  seller: WalletAddress
  tokenType: TokenType
  amount: number
  lamports: bigint
  /** It is split off the listing. */
  isPart: boolean
}

/** What is reserved, and what is to be paid for it. */
export interface ReservationPlan {
  items: readonly PlannedItem[]
  /** Without the fee. */
  lamports: bigint
  feeLamports: bigint
  /** What each seller receives, in the order of the items. */
  received: ReadonlyMap<WalletAddress, bigint>
}

/** What the buyer pays: one transfer to each seller, in the order of the items, and the fee if there is one. */
export function plannedTransfers({ received, feeLamports }: ReservationPlan, feeWallet: WalletAddress | undefined): Transfer[] {
  return transfersTo(received, feeLamports > 0n && feeWallet !== undefined ? feeWallet : null, feeLamports)
}

export type ReservationDecision =
  | { kind: 'refused'; refusal: Refusal }
  /** The buyer has reserved the same already. `signature`: of the payment, if it was asked for. */
  | { kind: 'repeated'; purchaseId: string; signature?: Signature }
  | { kind: 'reserve'; plan: ReservationPlan }
