import { parseWalletAddress } from '@juicebar/contract/addresses'
import { type Query, type Reply } from '@juicebar/contract/calls'
import { Failure } from '@juicebar/contract/errors'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Database } from '../../database/connect.ts'
import { listLogEntries, type LogRow } from './studio-log-store.ts'

/** A number that PostgreSQL's bigint holds. */
const entryNumber = /^[1-9]\d{0,17}$/

/**
 * One page of who did what, the newest first.
 * @throws CURSOR_INVALID
 */
export async function readLog(database: Database, { cursor, limit = LISTINGS_PAGE }: Query<'studioLog'>): Promise<Reply<'studioLog'>> {
  if (cursor !== undefined && !entryNumber.test(cursor)) throw new Failure('CURSOR_INVALID')
  const rows = await listLogEntries(database, { before: cursor, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const log = shown.map((row) => ({
    id: String(row.id),
    key: row.actor,
    // No key may be called like a wallet.
    wallet: parseWalletAddress(row.actor) ?? null,
    call: row.call,
    subject: row.subject,
    orderId: row.transferId === null ? null : String(row.transferId),
    order: orderOf(row),
    reason: row.reason,
    time: row.createdAt.toISOString(),
  }))
  return { log, nextCursor: rows.length > limit ? (log.at(-1)?.id ?? null) : null }
}

function orderOf({ kind, tokenType, amount }: LogRow): Reply<'studioLog'>['log'][number]['order'] {
  if ((kind !== 'credit' && kind !== 'debit') || tokenType === null || amount === null) return null
  return { direction: kind, tokenType, amount: Number(amount) }
}
