import { type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'
import { batchedStatement, type Tx } from '../database/transact.ts'
import { columnsSql, type Nullable } from '../database/columns.ts'
import { type Database } from '../database/connect.ts'
import { type Blocks } from '../database/schema.ts'
import { type BlockPosition, type BlockRow, type Restriction, type RestrictionCode, type TokenRule } from './restriction.ts'

/** What decides whether a wallet may list an item now. */
interface OfferFacts {
  /** The market's pause, or the seller's block. */
  refusal: RestrictionCode | null
  restriction: Restriction | null
  rule: TokenRule | undefined
  /** The item's name for players. */
  tokenName: string
}

const ruleColumns = ['tokenType', 'minUnitLamports', 'maxUnitLamports', 'maxListings', 'maxDailyLamports'] as const

/** Reads what decides whether a wallet may list an item. It stays so until the end of the transaction, whose first statement this must be. */
export async function lockOfferFacts(tx: Tx, seller: WalletAddress, tokenType: TokenType): Promise<OfferFacts> {
  await sql`select share_restrictions()`.execute(tx)
  const { rows } = await sql<Omit<OfferFacts, 'rule'> & Nullable<TokenRule>>`
    select refusal, restriction, t.name as token_name, ${sql.raw(columnsSql('u', ruleColumns))}
    from restriction_of(${seller}), token_types t left join token_rules u on u.token_type = t.token_type
    where t.token_type = ${tokenType}`.execute(tx)
  const [row] = rows
  if (!row) throw new Error(`the database knows no ${tokenType}`)
  const { refusal, restriction, tokenName, ...rule } = row
  return { refusal, restriction, tokenName, rule: isRule(rule) ? rule : undefined }
}

/** Without a rule, each of its columns is null. */
function isRule(rule: Nullable<TokenRule>): rule is TokenRule {
  return rule.tokenType !== null
}

/** How many active listings of a drink a seller has, at most `most`. One that is sold in parts is one. */
export async function countListings(
  tx: Tx,
  { seller, tokenType, most }: { seller: WalletAddress; tokenType: TokenType; most: number },
): Promise<number> {
  const { rows } = await sql<{ listings: number }>`
    select count(*)::integer as listings from (
      select distinct coalesce(part_of, id) from listings
      where seller = ${seller} and token_type = ${tokenType} and status = 'active' limit ${most}
    ) counted`.execute(tx)
  return rows[0]?.listings ?? 0
}

export interface PauseRow {
  message: string
  actor: string
  since: Date
}

const readPauses = batchedStatement<object, PauseRow>(
  `select asked.n::integer as n, p.message, p.actor, p.since from unnest($1::text[]) with ordinality as asked(nothing, n), current_pause() p`,
  () => [''],
)

/** The pause of the market, by the studio or until a recovery is clean; undefined while it is open. */
export async function findPause(database: Database): Promise<PauseRow | undefined> {
  return (await readPauses(database, {}))[0]
}

/** Like `findPause`, as seen by a transaction that changes it. */
export async function findChangedPause(tx: Tx): Promise<PauseRow | null> {
  const { rows } = await sql<PauseRow>`select message, actor, since from current_pause()`.execute(tx)
  return rows[0] ?? null
}

const blockColumns = ['walletAddress', 'reason', 'until', 'takesListings', 'actor', 'since'] as const satisfies (keyof Blocks)[]
const countsNow = sql<boolean>`(until is null or until > now())`

/** The current block of a wallet. */
export async function findBlock(database: Database, wallet: WalletAddress): Promise<BlockRow | undefined> {
  return database.selectFrom('blocks').select(blockColumns).where('walletAddress', '=', wallet).where(countsNow).executeTakeFirst()
}

/** The current blocks, latest first, after a position if given. */
export async function listBlocks(
  database: Database,
  { after, limit }: { after: BlockPosition | undefined; limit: number },
): Promise<(BlockRow & { sinceMicros: bigint })[]> {
  const afterSince = sql`'epoch'::timestamptz + ${after?.sinceMicros ?? 0n}::bigint * interval '1 microsecond'`
  return database
    .selectFrom('blocks')
    .select(blockColumns)
    .select(sql<bigint>`(extract(epoch from since) * 1000000)::bigint`.as('sinceMicros'))
    .where(countsNow)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(since <= ${afterSince} and (since < ${afterSince} or wallet_address > ${after?.wallet}))`),
    )
    .orderBy('since', 'desc')
    .orderBy('walletAddress')
    .limit(limit)
    .execute()
}

/** Whether a wallet has a listing, an open purchase or an open case. */
export async function hasOpenBusiness(database: Database, wallet: WalletAddress): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select exists (select from listings where seller = ${wallet} and status in ('active', 'reserved'))
      or exists (select from purchases where buyer = ${wallet} and status = 'held')
      or exists (
        select from cases c left join purchases p on p.id = c.purchase_id
        where c.status in ('open', 'refunding') and (p.buyer = ${wallet} or c.seller = ${wallet} or c.buyer = ${wallet})
      ) as open`.execute(database)
  return rows[0]?.open ?? false
}

/** Whether a seller's listings are neither sold nor returned, because of a payment for a purchase that the database has lost. */
export async function isFrozen(tx: Tx, seller: WalletAddress): Promise<boolean> {
  const { rows } = await sql<{ frozen: boolean }>`select is_frozen(${seller}) as frozen`.execute(tx)
  return rows[0]?.frozen ?? false
}

export async function listRules(database: Database | Tx): Promise<TokenRule[]> {
  return database.selectFrom('tokenRules').select(ruleColumns).orderBy('tokenType').execute()
}

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
