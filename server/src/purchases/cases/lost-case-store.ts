import { type Signature } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { emitCase } from './case-store.ts'
import { type LostPayment } from './lost-payment.ts'
import { insertUnmatched } from './unmatched-store.ts'

/**
 * Opens the case of a lost payment, which freezes the seller's listings.
 * @param coSigned whether a key of the market has signed it
 * @returns its id; nothing if the case already existed
 */
export async function insertLostCase(
  tx: Tx,
  signature: Signature,
  { buyer, seller, lamports, feeLamports }: LostPayment,
  coSigned: boolean,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into cases (kind, signature, buyer, seller, lamports, fee_lamports, deliverable)
    values ('lost', ${signature}, ${buyer}, ${seller}, ${lamports}, ${feeLamports}, false)
    on conflict (purchase_id, signature, seller, buyer) do nothing returning id`.execute(tx)
  for (const { id } of rows) await emitCase(tx, id)
  if (coSigned) await insertUnmatched(tx, signature)
  return rows.map(({ id }) => id)
}

/** Those of these wallets that have listed something. */
export async function findSellers(database: Database, wallets: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ seller: string }>`select seller from sellers where seller = any(${wallets}::text[])`.execute(database)
  return new Set(rows.map(({ seller }) => seller))
}
