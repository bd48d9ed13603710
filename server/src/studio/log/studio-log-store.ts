import { parseWalletAddress, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type EndpointName } from '@juicebar/contract/endpoints'
import { type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Transfers } from '../../database/schema.ts'
import { type Tx } from '../../database/transact.ts'
import { inSeconds } from '../../database/columns.ts'

/** @throws WALLET_ADDRESS_INVALID */
export function requireWallet(text: string): WalletAddress {
  const wallet = parseWalletAddress(text)
  if (!wallet) throw new Failure('WALLET_ADDRESS_INVALID')
  return wallet
}

export interface LogEntry {
  /** Whose key or wallet made the call. */
  actor: string
  call: EndpointName
  /** The identifier of what the call changed. */
  subject: string
  /** In the caller's words. */
  reason: string | null
}

/** Records what the studio did, in the transaction that does it. Entries are never changed. */
export async function insertLogEntry(tx: Tx, entry: LogEntry): Promise<void> {
  await tx.insertInto('studioLog').values(entry).execute()
}

export interface LoggedOrder {
  transferId: string
  /** The wallet. */
  subject: string
  reason: string | null
}

/** Records credits and debits of one call: an entry for each. */
export async function insertOrderEntries(tx: Tx, by: Pick<LogEntry, 'actor' | 'call'>, orders: readonly LoggedOrder[]): Promise<void> {
  await sql`
    insert into studio_log (actor, call, transfer_id, subject, reason)
    select ${by.actor}, ${by.call}, posted.id, posted.wallet, posted.reason
    from unnest(${orders.map(({ transferId }) => transferId)}::bigint[], ${orders.map(({ subject }) => subject)}::text[],
      ${orders.map(({ reason }) => reason)}::text[]) as posted(id, wallet, reason)`.execute(tx)
}

export interface LogRow {
  id: bigint
  actor: string
  call: string
  subject: string
  transferId: bigint | null
  /** What the transfer moved; null without one. */
  kind: Transfers['kind'] | null
  tokenType: TokenType | null
  amount: bigint | null
  reason: string | null
  createdAt: Date
}

/** The newest entries, or those before `before` if given. */
export async function listLogEntries(
  database: Database,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<LogRow[]> {
  return database
    .selectFrom('studioLog as l')
    .leftJoin('transfers as t', 't.id', 'l.transferId')
    .select(['l.id', 'l.actor', 'l.call', 'l.subject', 'l.transferId', 'l.reason', 'l.createdAt', 't.kind', 't.tokenType', 't.amount'])
    .$if(before !== undefined, (query) => query.where('l.id', '<', BigInt(before ?? 0)))
    .orderBy('l.id', 'desc')
    .limit(limit)
    .execute()
}

/** Tables of jobs that any server can continue: at most one is running in each, under a lease. */
type JobTable = 'audits' | 'recoveries'

/** Extends a lease, or returns it if `seconds` is 0. @returns false if it is lost */
export async function renewLease(database: Database, table: JobTable, leaseId: string, seconds: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable(table)
    .set({ leaseUntil: inSeconds(seconds) })
    .where('leaseId', '=', leaseId)
    .where('finishedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Counts a failure of the server that holds the lease, not of the chain. */
export async function countFailure(database: Database, table: JobTable, leaseId: string): Promise<void> {
  await database
    .updateTable(table)
    .set({ failures: sql<number>`failures + 1` })
    .where('leaseId', '=', leaseId)
    .execute()
}
