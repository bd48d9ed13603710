import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Selectable, sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type Recoveries } from '../../database/schema.ts'
import { inSeconds, now } from '../../database/columns.ts'
import { type Tx } from '../../database/transact.ts'
import { type RecoveryRow, type RecoveryState } from './recovery.ts'

const columns = [
  'id',
  'rewindId',
  'since',
  'createdAt',
  'finishedAt',
  'failures',
  'part',
  'genesisHash',
  'sinceSlot',
  'neededSlot',
  'blockHeight',
  'expiryHeight',
  'feeWallets',
  'lastWallet',
  'wallets',
  'walletsListed',
  'transactions',
  'transactionsRead',
  'payments',
  'casesOpened',
  'refunds',
  'refundsCount',
  'unchecked',
  'uncheckedCount',
  'limits',
] as const satisfies (keyof Recoveries)[]

const isPaused = sql<boolean>`exists (select from rewinds where ended_at is null)`.as('isPaused')

/** Starts a recovery if none is running. @returns its id if it did */
export async function insertRecovery(tx: Tx, rewindId: string, since: Date | undefined): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into recoveries (rewind_id, since, fee_wallets)
    select id, least(coalesce(${since ?? null}::timestamptz, found_at), found_at), '{}' from rewinds where id = ${rewindId}
    on conflict ((true)) where finished_at is null do nothing returning id`.execute(tx)
  return rows[0]?.id
}

/** The recovery that is running. */
export async function findRunningRecovery(database: Database | Tx): Promise<RecoveryRow | undefined> {
  return asRecovery(
    await database.selectFrom('recoveries').select(columns).select(isPaused).where('finishedAt', 'is', null).executeTakeFirst(),
  )
}

export async function findRecovery(database: Database | Tx, id: string): Promise<RecoveryRow | undefined> {
  return asRecovery(await database.selectFrom('recoveries').select(columns).select(isPaused).where('id', '=', id).executeTakeFirst())
}

/** The recovery that was started last. */
export async function findLatestRecovery(tx: Tx): Promise<RecoveryRow | undefined> {
  return asRecovery(await tx.selectFrom('recoveries').select(columns).select(isPaused).orderBy('id', 'desc').limit(1).executeTakeFirst())
}

/** Leases the running recovery for `seconds`, unless another server works on it. `leaseId` is new for each lease. */
export async function leaseRecovery(database: Database, leaseId: string, seconds: number): Promise<RecoveryRow | undefined> {
  const leased = await database
    .updateTable('recoveries')
    .set({ leaseId, leaseUntil: inSeconds(seconds) })
    .where('finishedAt', 'is', null)
    .where('leaseUntil', '<=', now)
    .returning(columns)
    .returning(isPaused)
    .executeTakeFirst()
  return asRecovery(leased)
}

/** Records how far a recovery has come, and whether it is done. @returns undefined if the lease is lost: then nothing may be recorded */
export async function saveRecovery(
  tx: Tx,
  leaseId: string,
  { state, done }: { state: RecoveryState; done: boolean },
): Promise<RecoveryRow | undefined> {
  const { refunds, unchecked, limits } = state
  const saved = await tx
    .updateTable('recoveries')
    .set({
      part: state.part,
      genesisHash: state.genesisHash,
      sinceSlot: state.sinceSlot,
      neededSlot: state.neededSlot,
      blockHeight: state.blockHeight,
      expiryHeight: state.expiryHeight,
      feeWallets: state.feeWallets,
      lastWallet: state.lastWallet,
      wallets: state.wallets,
      walletsListed: state.walletsListed,
      transactions: state.transactions,
      transactionsRead: state.transactionsRead,
      payments: state.payments,
      casesOpened: state.casesOpened,
      refundsCount: state.refundsCount,
      uncheckedCount: state.uncheckedCount,
      failures: 0,
      ...(done && { finishedAt: now }),
    })
    .set({ refunds: asJson(refunds), unchecked: asJson(unchecked), limits: asJson(limits) })
    .where('leaseId', '=', leaseId)
    .where('leaseUntil', '>', now)
    .where('finishedAt', 'is', null)
    .returning(columns)
    .returning(isPaused)
    .executeTakeFirst()
  return asRecovery(saved)
}

/** Keeps these transactions to be read. @returns how many are to be read in all */
export async function insertSignatures(tx: Tx, recoveryId: string, signatures: readonly Signature[]): Promise<number> {
  await sql`
    insert into recovery_signatures (recovery_id, signature) select ${recoveryId}, unnest(${signatures}::text[]) on conflict do nothing
  `.execute(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from recovery_signatures where recovery_id = ${recoveryId}`.execute(tx)
  return rows[0]?.count ?? 0
}

/** The next transactions to be read, at most `limit`. */
export async function readSignatures(database: Database, recoveryId: string, limit: number): Promise<Signature[]> {
  const { rows } = await sql<{ signature: Signature }>`
    select signature from recovery_signatures where recovery_id = ${recoveryId} order by signature limit ${limit}`.execute(database)
  return rows.map(({ signature }) => signature)
}

/** These transactions were read; undefined for all, when a recovery ends. */
export async function deleteSignatures(tx: Tx, recoveryId: string, signatures?: readonly Signature[]): Promise<void> {
  await sql`
    delete from recovery_signatures where recovery_id = ${recoveryId} and (${signatures === undefined} or signature = any(${signatures ?? []}::text[]))
  `.execute(tx)
}

/** The next wallets whose transactions are to be listed, in their order: sellers, and these others, fee wallets and keys of the market. */
export async function readWallets(database: Database, others: readonly string[], after: string, limit: number): Promise<WalletAddress[]> {
  const { rows } = await sql<{ wallet: WalletAddress }>`
    select wallet from (
      (select seller as wallet from sellers where seller > ${after} order by seller limit ${limit})
      union select unnest(${others}::text[])
    ) w where wallet > ${after} order by wallet limit ${limit}`.execute(database)
  return rows.map(({ wallet }) => wallet)
}

/** How many sellers there are, with these others. */
export async function countWallets(database: Database, others: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select seller from sellers union select unnest(${others}::text[])) w`.execute(database)
  return rows[0]?.count ?? 0
}

export interface NewestPurchase {
  buyer: string
  reference: string
  genesisHash: string
  heldAtSlot: bigint
  feeWallet: string | null
  /** Made by a version whose references carry a code. */
  hasCode: boolean
}

/** The newest purchases of that time, at most `limit`. Their identifiers are in the order of time. */
export async function readNewestPurchases(database: Database, until: Date, limit: number): Promise<NewestPurchase[]> {
  const millis = until.getTime().toString(16).padStart(12, '0')
  return (
    database
      .selectFrom('purchases')
      .select(['buyer', 'reference', 'genesisHash', 'heldAtSlot', 'feeWallet'])
      // Servers from before are refused since then.
      .select(sql<boolean>`created_at > (select applied_at from migrations where name = '0032-release-0.2.0.sql')`.as('hasCode'))
      .where('id', '<=', `${millis.slice(0, 8)}-${millis.slice(8)}-7fff-bfff-ffffffffffff`)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  )
}

function asRecovery(
  row: (Pick<Selectable<Recoveries>, (typeof columns)[number]> & { isPaused: boolean }) | undefined,
): RecoveryRow | undefined {
  // The JSON columns hold what `saveRecovery` has written, and `part` what its check allows.
  return row as RecoveryRow | undefined
}

function asJson(value: unknown) {
  return sql`${JSON.stringify(value)}::json`
}
