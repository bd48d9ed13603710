import { Failure } from '@juicebar/contract/errors'
import { MAX_BALANCE } from '@juicebar/contract/limits'
import { type WalletAddress, requireWallet } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { type Selectable } from 'kysely'
import { type Catalogue, requireTokenAmount, requireTokenType } from '../catalogue/catalogue.ts'
import { cannotSign } from '../chain/transactions/keys.ts'
import { type Transfers } from '../database/schema.ts'

/** Tokens that the studio moves into a player's balance (credit) or out of it (debit). */
export interface StudioOrder {
  direction: 'credit' | 'debit'
  walletAddress: WalletAddress
  tokenType: TokenType
  amount: number
  idempotencyKey: string
  /** For the studio's log. */
  reason?: string | undefined
}

/** A posted credit or debit. */
export type StoredOrder = Pick<
  Selectable<Transfers>,
  'id' | 'kind' | 'tokenType' | 'amount' | 'walletAddress' | 'idempotencyKey' | 'createdAt'
>

interface OrderFields {
  walletAddress: string
  tokenType: string
  amount: number
  idempotencyKey: string
  reason?: string
}

/**
 * Reads the payload of a credit or debit. The token may be given as its enum value or its display name.
 * @throws WALLET_ADDRESS_INVALID, TOKEN_TYPE_UNKNOWN, AMOUNT_INVALID
 */
export function readStudioOrder(direction: StudioOrder['direction'], fields: OrderFields, catalogue: Pick<Catalogue, 'find'>): StudioOrder {
  const walletAddress = requireWallet(fields.walletAddress)
  const tokenType = requireTokenType(catalogue, fields.tokenType)
  const { idempotencyKey, reason } = fields
  return { direction, walletAddress, tokenType, amount: requireTokenAmount(fields.amount), idempotencyKey, reason }
}

/** What the database knows about a call's orders. */
export interface OrderSnapshot {
  /** By `balanceOf`; wallets that never had a token are missing. */
  balances: ReadonlyMap<string, bigint>
  /** The orders that were posted before, by idempotency key. */
  posted: ReadonlyMap<string, StoredOrder>
  /** Tokens that may still be credited; undefined without a limit. */
  allowance: bigint | undefined
  /** Wallets that may be credited: someone can have their private key. */
  signers: ReadonlySet<WalletAddress>
}

export type OrderDecision =
  | { kind: 'post' }
  /** It was posted before this call. */
  | { kind: 'posted'; stored: StoredOrder }
  /** It is the same as an order before it in this call, which is posted. */
  | { kind: 'repeated'; index: number }
  | { kind: 'refused'; failure: Failure }

/** The key of a balance in a snapshot. */
export function balanceOf({ walletAddress, tokenType }: Pick<StudioOrder, 'walletAddress' | 'tokenType'>): string {
  return `${walletAddress} ${tokenType}`
}

/** How an order changes its balance. */
export function changeOf({ direction, amount }: StudioOrder): bigint {
  return direction === 'credit' ? BigInt(amount) : -BigInt(amount)
}

/** Decides the orders one by one: each sees the effects of those before it. */
export function decideOrders(orders: readonly StudioOrder[], snapshot: OrderSnapshot): OrderDecision[] {
  const balances = new Map(snapshot.balances)
  const firstOfKey = new Map<string, number>()
  let { allowance } = snapshot

  return orders.map((order, index): OrderDecision => {
    const stored = snapshot.posted.get(order.idempotencyKey)
    if (stored) return isSameOrder(stored, order) ? { kind: 'posted', stored } : refuse('IDEMPOTENCY_KEY_REUSED')
    const first = firstOfKey.get(order.idempotencyKey)
    const before = first === undefined ? undefined : orders[first]
    if (first !== undefined && before)
      return isRepeated(before, order) ? { kind: 'repeated', index: first } : refuse('IDEMPOTENCY_KEY_REUSED')

    const balance = (balances.get(balanceOf(order)) ?? 0n) + changeOf(order)
    if (order.direction === 'credit') {
      if (!snapshot.signers.has(order.walletAddress)) return { kind: 'refused', failure: cannotSign(order.walletAddress) }
      if (balance > MAX_BALANCE) return refuse('BALANCE_LIMIT')
      if (allowance !== undefined) {
        if (allowance < BigInt(order.amount)) return refuse('DAILY_LIMIT', `it can credit ${allowance} more today.`)
        allowance -= BigInt(order.amount)
      }
    } else if (balance < 0n) return refuse('INSUFFICIENT_TOKENS')
    balances.set(balanceOf(order), balance)
    firstOfKey.set(order.idempotencyKey, index)
    return { kind: 'post' }
  })
}

function refuse(code: ConstructorParameters<typeof Failure>[0], detail?: string): OrderDecision {
  return { kind: 'refused', failure: new Failure(code, detail === undefined ? {} : { detail }) }
}

function isSameOrder(stored: StoredOrder, order: StudioOrder): boolean {
  return (
    stored.kind === order.direction &&
    stored.walletAddress === order.walletAddress &&
    stored.tokenType === order.tokenType &&
    stored.amount === BigInt(order.amount)
  )
}

function isRepeated(first: StudioOrder, order: StudioOrder): boolean {
  return balanceOf(first) === balanceOf(order) && changeOf(first) === changeOf(order)
}
