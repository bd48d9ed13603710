import { type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Tx } from '../database/transact.ts'
import { type BlockRow } from './block.ts'
import { type PauseRow } from './restriction-store.ts'
import { type TokenRule } from './rule.ts'

/**
 * Waits until everything decided under the current restrictions is committed, and makes listings and holds wait for the end of this
 * transaction. It must be the transaction's first statement, and the transaction must not lock rows that others lock.
 */
export async function lockRestrictions(tx: Tx): Promise<void> {
  await sql`select lock_restrictions()`.execute(tx)
}

/** A pause that is on keeps its beginning. */
export async function savePause(tx: Tx, pause: Pick<PauseRow, 'message' | 'actor'>): Promise<PauseRow> {
  return tx
    .insertInto('pauses')
    .values(pause)
    .onConflict((conflict) => conflict.column('isNow').doUpdateSet(pause))
    .returning(['message', 'actor', 'since'])
    .executeTakeFirstOrThrow()
}

export async function deletePause(tx: Tx): Promise<void> {
  await tx.deleteFrom('pauses').execute()
}

/** When the transaction commits, tells everyone that the market is paused, or open again. */
export async function emitPause(tx: Tx, pause: PauseRow | null): Promise<void> {
  const announced = pause && { message: pause.message, since: pause.since.toISOString() }
  const event = JSON.stringify({ type: 'pause.changed', pause: announced })
  await sql`select emit_event('pause.changed', null, ${event}::json)`.execute(tx)
}

/** @returns undefined, with nothing saved, if the block would have ended already */
export async function saveBlock(tx: Tx, block: Omit<BlockRow, 'since'>): Promise<BlockRow | undefined> {
  const { walletAddress, reason, until, takesListings, actor } = block
  const { rows } = await sql<BlockRow>`
    insert into blocks as b (wallet_address, reason, until, takes_listings, actor)
    select ${walletAddress}, ${reason}, t.until, ${takesListings}, ${actor} from (select ${until}::timestamptz as until) t
    where t.until is null or t.until > now()
    on conflict (wallet_address) do update set
      reason = excluded.reason, until = excluded.until, takes_listings = excluded.takes_listings, actor = excluded.actor,
      since = case when b.until is null or b.until > now() then b.since else excluded.since end
    returning wallet_address, reason, until, takes_listings, actor, since`.execute(tx)
  return rows[0]
}

export async function deleteBlock(tx: Tx, wallet: WalletAddress): Promise<void> {
  await tx.deleteFrom('blocks').where('walletAddress', '=', wallet).execute()
}

/** When the transaction commits, tells the wallet's own event streams that it was blocked, or no longer is. */
export async function emitBlock(tx: Tx, wallet: WalletAddress): Promise<void> {
  await sql`select emit_event('block.changed', array[${wallet}], '{"type":"block.changed"}'::json)`.execute(tx)
}

export async function replaceRules(tx: Tx, rules: readonly TokenRule[]): Promise<void> {
  await tx.deleteFrom('tokenRules').execute()
  if (rules.length > 0)
    await tx
      .insertInto('tokenRules')
      .values([...rules])
      .execute()
}

/** Before every id there is. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the next listings after one of them to their seller, except those that buyers hold: `take_back_listings` in
 * functions/restrictions.sql.
 *
 * @returns `last`: the listing to go on after; null at the end
 */
export async function takeBackListings(
  tx: Tx,
  { seller, after, most }: { seller: WalletAddress; after: string; most: number },
): Promise<{ last: string | null; taken: number }> {
  const { rows } = await sql<{ last: string | null; taken: number }>`
    select last, taken from take_back_listings(${seller}, ${after}, ${most})`.execute(tx)
  return rows[0] ?? { last: null, taken: 0 }
}
