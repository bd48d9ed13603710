import { type EndpointName } from '@juicebar/contract/endpoints'
import { type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Transfers } from '../../database/schema.ts'
import { type Tx } from '../../database/transact.ts'

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
