import { type TokenType } from '@juicebar/contract/catalogue'
import { sql } from 'kysely'
import { type Tx } from '../database/transact.ts'
import { type NamedItem } from '../catalogue/catalogue.ts'

/**
 * Waits for the other servers that are writing their catalogues, until the transaction ends. Listings and credits are not blocked: they
 * only need the items to exist, and would otherwise hold locks that `renderListings` waits for.
 */
export async function lockCatalogues(tx: Tx): Promise<void> {
  await sql`select from token_types order by token_type for no key update`.execute(tx)
}

/** The items that are or were traded here, as written by servers. */
export async function findKnownItems(tx: Tx): Promise<NamedItem[]> {
  return tx.selectFrom('tokenTypes').select(['tokenType as code', 'name']).orderBy('tokenType').execute()
}

export interface OwnedItem extends NamedItem {
  inWallets: bigint
  inListings: bigint
}

/** Which of these items players own, and how many of each: in wallets, and in open listings. */
export async function findOwned(tx: Tx, codes: readonly TokenType[]): Promise<OwnedItem[]> {
  const { rows } = await sql<OwnedItem>`
    select t.token_type as code, t.name, coalesce(b.amount, 0)::bigint as in_wallets, coalesce(l.amount, 0)::bigint as in_listings
    from token_types t
    left join (
      select token_type, sum(amount) as amount from balances where token_type = any(${codes}) and amount > 0 group by token_type
    ) b using (token_type)
    left join (
      select token_type, sum(amount) as amount from listings
      where token_type = any(${codes}) and status in ('active', 'reserved') group by token_type
    ) l using (token_type)
    where b.amount > 0 or l.amount > 0
    order by t.token_type`.execute(tx)
  return rows
}

/** Writes the items of a catalogue, with their names. */
export async function upsertItems(tx: Tx, items: readonly NamedItem[]): Promise<void> {
  await sql`
    insert into token_types (token_type, name, first_seen_at)
      select code, name, now() from unnest(${items.map(({ code }) => code)}::text[], ${items.map(({ name }) => name)}::text[]) as item (code, name)
      order by code
    on conflict (token_type) do update
      set name = excluded.name, first_seen_at = coalesce(token_types.first_seen_at, excluded.first_seen_at)
      where token_types.name <> excluded.name or token_types.first_seen_at is null`.execute(tx)
}

/** Removes those of these items that were never in a catalogue and never owned: the three that every database begins with. */
export async function deleteUnused(tx: Tx, codes: readonly TokenType[]): Promise<void> {
  await sql`
    delete from token_types t
    where token_type = any(${codes}) and first_seen_at is null
      and not exists (select from transfers where token_type = t.token_type)
      and not exists (select from balances where token_type = t.token_type)
      and not exists (select from listings where token_type = t.token_type)
      and not exists (select from token_rules where token_type = t.token_type)`.execute(tx)
}

/** Renders active listings again that show the name of one of these items. No listing can be written during this time. */
export async function renderListings(tx: Tx, codes: readonly TokenType[]): Promise<void> {
  await sql`lock table listings in share row exclusive mode`.execute(tx)
  for (const code of codes) {
    for (let last: string | undefined = FIRST_ID; last !== undefined;) last = await renderBatch(tx, code, last)
  }
}

/** Before every identifier. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** This many take a fraction of a statement's time limit. */
const BATCH = 10_000

/** @returns the last listing that it has rendered; undefined if there are no more */
async function renderBatch(tx: Tx, code: TokenType, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with batch as (
      select id from listings where status = 'active' and token_type = ${code} and id > ${after} order by id limit ${BATCH}
    ), written as (
      -- The trigger before each write renders it.
      update listings l set reply_json = '' from batch where l.id = batch.id
    )
    select id from batch order by id desc limit 1`.execute(tx)
  return rows[0]?.id
}
