import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Balances, type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'
import { balancesOf, type Catalogue } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { type Tx } from '../database/transact.ts'
import { balanceOf, type StoredOrder, type StudioOrder } from './studio-order.ts'

export type TransferKind = 'credit' | 'debit' | 'escrow' | 'return' | 'sale'

export interface TransferOrder {
  kind: TransferKind
  tokenType: TokenType
  amount: number
  wallet: WalletAddress
  listingId?: string
  idempotencyKey?: string
}

/**
 * Posts one transfer and updates the balance it touches. If the database refuses, `inTransaction` throws INSUFFICIENT_TOKENS or
 * BALANCE_LIMIT.
 */
export async function postTransfer(tx: Tx, order: TransferOrder): Promise<void> {
  const { kind, tokenType, amount, wallet, listingId = null, idempotencyKey = null } = order
  await sql`select post_transfer(${kind}, ${tokenType}, ${amount}, ${wallet}, ${listingId}, ${idempotencyKey})`.execute(tx)
}

/** When the transaction commits, tells the wallet's event streams that its balance changed. */
export async function emitBalanceChanged(tx: Tx, wallet: WalletAddress): Promise<void> {
  await sql`select emit_balance(${wallet})`.execute(tx)
}

/** A wallet's balance of each token. Tokens in its active listings are in escrow and not included. */
export async function readBalances(database: Database, wallet: WalletAddress, catalogue: Pick<Catalogue, 'items'>): Promise<Balances> {
  const rows = await database.selectFrom('balances').select(['tokenType', 'amount']).where('walletAddress', '=', wallet).execute()
  return balancesOf(
    catalogue,
    rows.map(({ tokenType, amount }) => ({ tokenType, amount: Number(amount) })),
  )
}

const orderColumns = [
  'id',
  'kind',
  'tokenType',
  'amount',
  'walletAddress',
  'idempotencyKey',
  'createdAt',
] as const satisfies (keyof StoredOrder)[]

type Account = Pick<StudioOrder, 'walletAddress' | 'tokenType'>

const arraysOf = (accounts: readonly Account[]) =>
  [accounts.map(({ walletAddress }) => walletAddress), accounts.map(({ tokenType }) => tokenType)] as const

/**
 * Locks balances, in the order in which every transaction does, and reads them, by `balanceOf`. A wallet that never had the token has
 * nothing to lock.
 */
export async function lockBalances(tx: Tx, accounts: readonly Account[]): Promise<Map<string, bigint>> {
  const [wallets, tokens] = arraysOf(distinct(accounts))
  const { rows } = await sql<{ walletAddress: WalletAddress; tokenType: TokenType; amount: bigint }>`
    select b.wallet_address, b.token_type, b.amount
    from unnest(${wallets}::text[], ${tokens}::text[]) as asked(wallet, token)
    join balances b on b.wallet_address = asked.wallet and b.token_type = asked.token
    order by b.wallet_address, b.token_type for update of b`.execute(tx)
  return new Map(rows.map((row) => [balanceOf(row), row.amount]))
}

function distinct(accounts: readonly Account[]): Account[] {
  return [...new Map(accounts.map((account) => [balanceOf(account), account])).values()]
}

/** Those of the wallets that have signed in before. */
export async function findPlayers(database: Database, wallets: readonly WalletAddress[]): Promise<WalletAddress[]> {
  const players = database.selectFrom('players').select('walletAddress')
  const rows = await players.where('walletAddress', '=', sql<WalletAddress>`any(${wallets}::text[])`).execute()
  return rows.map(({ walletAddress }) => walletAddress)
}

/** The credits and debits posted with these idempotency keys in a namespace, or before there were any, by key. */
export async function findOrders(tx: Tx, namespace: string, idempotencyKeys: readonly string[]): Promise<Map<string, StoredOrder>> {
  const rows = await tx
    .selectFrom('transfers')
    .select(orderColumns)
    .where('idempotencyKey', '=', sql<string>`any(${idempotencyKeys}::text[])`)
    .where((row) => row.or([row('namespace', 'is', null), row('namespace', '=', namespace)]))
    .execute()
  return new Map(rows.map((row) => [row.idempotencyKey ?? '', row]))
}

/**
 * Posts orders that were decided under their locks, and tells the wallets' event streams.
 * @returns the ledger's number of each, and when they were posted
 */
export async function insertOrders(tx: Tx, namespace: string, orders: readonly StudioOrder[]): Promise<{ ids: string[]; createdAt: Date }> {
  const [wallets, tokens] = arraysOf(orders)
  const { rows } = await sql<{ n: number; id: bigint; createdAt: Date }>`
    select asked.n::integer as n, now() as created_at,
      post_transfer(asked.kind, asked.token, asked.amount, asked.wallet, null, asked.key, p_namespace => ${namespace}) as id
    from unnest(
      ${orders.map(({ direction }) => direction)}::text[], ${tokens}::text[], ${orders.map(({ amount }) => amount)}::bigint[],
      ${wallets}::text[], ${orders.map(({ idempotencyKey }) => idempotencyKey)}::text[]
    ) with ordinality as asked(kind, token, amount, wallet, key, n)
    order by asked.wallet, asked.token, asked.n`.execute(tx)
  await sql`select emit_balance(wallet) from unnest(${[...new Set(wallets)]}::text[]) as changed(wallet)`.execute(tx)
  const ids: string[] = []
  for (const { n, id } of rows) ids[n - 1] = String(id)
  const [first] = rows
  if (!first || rows.length !== orders.length) throw new Error('not every order was posted')
  return { ids, createdAt: first.createdAt }
}
