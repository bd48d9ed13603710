import { type Signature } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'
import { type LostPurchase } from './case.ts'
import { emitCase } from './case-store.ts'
import { type LostPayment } from './lost-payment.ts'
import { insertUnmatched } from './unmatched-store.ts'

/** The transaction on the chain that paid for a purchase which the database has lost. */
export interface LostLanding {
  signature: Signature
  genesisHash: string
  slot: bigint
  /** A key of the market has signed it. */
  coSigned: boolean
}

/** Opens the case of a lost payment, which freezes the seller's listings. @returns its id; nothing if the case already existed */
export async function insertLostCase(
  tx: Tx,
  { signature, genesisHash, slot, coSigned }: LostLanding,
  { buyer, seller, lamports, feeLamports }: LostPayment,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into cases (kind, signature, buyer, genesis_hash, paid_at_slot, seller, lamports, fee_lamports, deliverable)
    values ('lost', ${signature}, ${buyer}, ${genesisHash}, ${slot}, ${seller}, ${lamports}, ${feeLamports}, false)
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

/** What is known of the purchase of a lost case; undefined if this is none. */
export async function findLostPurchase(database: Database, caseId: string): Promise<LostPurchase | undefined> {
  const row = await database.selectFrom('cases').select(['buyer', 'genesisHash', 'paidAtSlot']).where('id', '=', caseId).executeTakeFirst()
  if (!row || row.buyer === null || row.genesisHash === null || row.paidAtSlot === null) return undefined
  return { id: null, buyer: row.buyer, genesisHash: row.genesisHash, heldAtSlot: row.paidAtSlot }
}
