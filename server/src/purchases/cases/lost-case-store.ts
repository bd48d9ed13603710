import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { sql } from 'kysely'

import { type Tx } from '../../database/transact.ts'
import { emitCase } from './case-store.ts'

/** A payment that the chain shows for a purchase that the database has lost. */
interface LostPayment {
  buyer: WalletAddress
  seller: WalletAddress | null
  lamports: bigint
  feeLamports: bigint
}

/** Opens the case of a lost payment, which freezes the seller's listings. @returns its id; nothing if the case already existed */
export async function insertLostCase(
  tx: Tx,
  signature: Signature,
  { buyer, seller, lamports, feeLamports }: LostPayment,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into cases (kind, signature, buyer, seller, lamports, fee_lamports, deliverable)
    values ('lost', ${signature}, ${buyer}, ${seller}, ${lamports}, ${feeLamports}, false)
    on conflict (purchase_id, signature, seller, buyer) do nothing returning id`.execute(tx)
  for (const { id } of rows) await emitCase(tx, id)
  return rows.map(({ id }) => id)
}
