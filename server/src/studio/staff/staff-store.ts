import { CHALLENGE_SECONDS, MAX_OPEN_CHALLENGES, MAX_STAFF } from '@juicebar/contract/limits'
import { sql } from 'kysely'
import { type WalletAddress } from '@juicebar/contract/addresses'
import { type Scope } from '@juicebar/contract/scopes'
import { type Database } from '../../database/connect.ts'
import { now } from '../../database/columns.ts'
import { type ChallengeRow, type Signed, type StaffRow, type StaffWish } from './staff.ts'
import { batchedStatement, type Tx } from '../../database/transact.ts'

/** How long a repeated call is told why it is refused. */
const KEPT = '10 minutes'

export interface IssuedChallenge {
  expiresAt: Date
  millisLeft: number
}

/** Adds a challenge; undefined if the wallet already has the maximum number of open ones. */
export async function insertChallenge(
  database: Database,
  { id, message, walletAddress, call, bodyHash }: Signed & { id: string; message: string },
): Promise<IssuedChallenge | undefined> {
  const { rows } = await sql<IssuedChallenge>`
    insert into studio_challenges (id, wallet_address, call, body_hash, message, expires_at)
    select ${id}::uuid, ${walletAddress}, ${call}, ${bodyHash}, ${message}, now() + make_interval(secs => ${CHALLENGE_SECONDS})
    where (
      select count(*) from studio_challenges where wallet_address = ${walletAddress} and expires_at > now() and used_at is null
    ) < ${MAX_OPEN_CHALLENGES}
    returning expires_at, ceil(extract(epoch from expires_at - now()) * 1000)::integer as millis_left`.execute(database)
  return rows[0]
}

export async function findChallenge(database: Database, id: string): Promise<ChallengeRow | undefined> {
  return database
    .selectFrom('studioChallenges')
    .select(['walletAddress', 'call', 'bodyHash', 'message'])
    .select([sql<boolean>`used_at is not null`.as('isUsed'), sql<boolean>`expires_at <= now()`.as('isExpired')])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Uses up a challenge. Of any number of concurrent callers, exactly one succeeds. */
export async function spendChallenge(database: Database, id: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('studioChallenges')
    .set({ usedAt: now })
    .where('id', '=', id)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteOldChallenges(database: Database): Promise<void> {
  await database
    .deleteFrom('studioChallenges')
    .where('expiresAt', '<', sql<Date>`now() - ${KEPT}::interval`)
    .execute()
}

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
