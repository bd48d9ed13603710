import { type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { inTransaction } from '../../database/transact.ts'
import { lockPurchase } from '../purchase-store.ts'

/** A buyer who has just held needs a moment to pay, and an endpoint one to show it. */
const READ_SECONDS = 10
/** Two readings that are further apart say nothing together. */
const TOGETHER_SECONDS = 60
const CLAIMED_TOGETHER = 200

/** An open hold for which no signed payment is recorded. */
export interface UnpaidHold {
  id: string
  buyer: WalletAddress
  reference: WalletAddress
  heldAtSlot: bigint
  /** With the fee. */
  lamports: bigint
  /** The last reading, less than a minute ago, showed too little SOL. */
  wasShort: boolean
}

const unpaid = sql`
  status = 'held' and reconcile_at is not null and not co_signed and pay_before > now()
    and not exists (select from payments m where m.purchase_id = p.id and m.kind = 'purchase' and m.status = 'recorded')`

/** Claims the holds whose buyers' balances are due to be read; another server does not get them at the same time. */
export async function claimUnpaidHolds(database: Database): Promise<Pick<UnpaidHold, 'id' | 'buyer'>[]> {
  const { rows } = await sql<Pick<UnpaidHold, 'id' | 'buyer'>>`
    update purchases set funds_read_at = now() where id = any(array(
      select id from purchases p
      where ${unpaid} and coalesce(funds_read_at, created_at) < now() - make_interval(secs => ${READ_SECONDS})
      order by reconcile_at limit ${CLAIMED_TOGETHER} for update skip locked
    )) returning id, buyer`.execute(database)
  return rows
}

/** All unpaid holds of these buyers, the oldest first. */
export async function readUnpaidHolds(database: Database, buyers: readonly WalletAddress[]): Promise<UnpaidHold[]> {
  const { rows } = await sql<UnpaidHold>`
    select id, buyer, reference, held_at_slot, price_lamports + fee_lamports as lamports,
      coalesce(short_at > now() - make_interval(secs => ${TOGETHER_SECONDS}), false) as was_short
    from purchases p where buyer = any(${buyers}) and ${unpaid} order by created_at, id`.execute(database)
  return rows
}

/** Records for which holds a reading of the buyers' balances showed too little SOL, and for which it showed enough. */
export async function noteFunds(database: Database, { short, covered }: { short: string[]; covered: string[] }): Promise<void> {
  await sql`
    update purchases set short_at = case when id = any(${short}) then now() end
    where id = any(${short}) or (id = any(${covered}) and short_at is not null)`.execute(database)
}

/** Closes the payment window of a hold that its buyer has too little SOL for, and tells its buyer. */
export async function closeShortHold(database: Database, id: string): Promise<void> {
  await inTransaction(database, async (tx) => {
    await lockPurchase(tx, id)
    const { rows } = await sql`
      update purchases p set unfunded = true, pay_before = now(), reconcile_at = now() where id = ${id} and ${unpaid} returning id`.execute(
      tx,
    )
    if (rows.length > 0) await sql`select emit_purchase(p) from purchases p where id = ${id}`.execute(tx)
  })
}
