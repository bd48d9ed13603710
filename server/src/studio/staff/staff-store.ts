import { type WalletAddress } from '@juicebar/contract/addresses'
import { MAX_STAFF } from '@juicebar/contract/limits'
import { type Scope } from '@juicebar/contract/scopes'
import { sql } from 'kysely'

import { batchedStatement } from '../../database/batched-statement.ts'
import { type Database } from '../../database/connect.ts'
import { now } from '../../database/time.ts'
import { type Tx } from '../../database/transact.ts'
import { type StaffRow, type StaffWish } from './staff.ts'

const BY_WALLET = `
  select asked.n::integer as n, s.wallet_address, s.name, s.scopes, s.set_by, s.set_at, s.removed_at
  from unnest($1::text[]) with ordinality as asked(wallet, n) join studio_staff s on s.wallet_address = asked.wallet`
const readByWallet = batchedStatement<{ wallet: WalletAddress }, StaffRow>(BY_WALLET, ({ wallet }) => [wallet])

/** Every call of the staff asks this, so calls at the same time share a statement. */
export async function findStaff(database: Database, wallet: WalletAddress): Promise<StaffRow | undefined> {
  return (await readByWallet(database, { wallet }))[0]
}

/** Those that calls have added, and any others whose wallets are given. */
export async function listStaff(database: Database, wallets: readonly WalletAddress[]): Promise<StaffRow[]> {
  return selectStaff(database)
    .where((row) => row.or([row('removedAt', 'is', null), row('walletAddress', '=', sql<string>`any(${wallets}::text[])`)]))
    .execute()
}

/** The row of a wallet. No other transaction can change the staff until this one ends, so that their number is exact. */
export async function lockStaff(tx: Tx, wallet: WalletAddress): Promise<StaffRow | undefined> {
  await sql`lock table studio_staff in share row exclusive mode`.execute(tx)
  return selectStaff(tx).where('walletAddress', '=', wallet).executeTakeFirst()
}

/** Whether one more would be too many. Under `lockStaff`. */
export async function isStaffFull(tx: Tx): Promise<boolean> {
  const { count } = await tx
    .selectFrom('studioStaff')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('removedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return count >= MAX_STAFF
}

/** Puts a wallet on the staff, or changes it. */
export async function saveStaff(tx: Tx, { wallet, name, scopes }: StaffWish, setBy: string): Promise<StaffRow> {
  const said = { name, scopes: [...scopes], setBy, setAt: now, removedAt: null }
  await tx
    .insertInto('studioStaff')
    .values({ walletAddress: wallet, ...said })
    .onConflict((on) => on.column('walletAddress').doUpdateSet(said))
    .execute()
  return selectStaff(tx).where('walletAddress', '=', wallet).executeTakeFirstOrThrow()
}

/** Removes a wallet. Its earlier data remains readable. */
export async function saveRemoval(tx: Tx, { wallet, name, scopes }: StaffWish, setBy: string): Promise<void> {
  await tx
    .insertInto('studioStaff')
    .values({ walletAddress: wallet, name, scopes: [...scopes], setBy, removedAt: now })
    .onConflict((on) => on.column('walletAddress').doUpdateSet({ setBy, setAt: now, removedAt: now }))
    .execute()
}

function selectStaff(database: Database | Tx) {
  return database
    .selectFrom('studioStaff')
    .select(['walletAddress', 'name', 'setBy', 'setAt', 'removedAt'])
    .select(sql<Scope[]>`scopes`.as('scopes'))
}
