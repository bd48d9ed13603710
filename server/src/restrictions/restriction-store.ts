import { type WalletAddress } from '@juicebar/contract/addresses'
import { type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'

import { batchedStatement } from '../database/batched-statement.ts'
import { columnsSql, type Nullable } from '../database/columns.ts'
import { type Database } from '../database/connect.ts'
import { type Blocks } from '../database/schema.ts'
import { type Tx } from '../database/transact.ts'
import { type BlockPosition, type BlockRow } from './block.ts'
import { type Restriction, type RestrictionCode } from './restriction.ts'
import { type TokenRule } from './rule.ts'

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
