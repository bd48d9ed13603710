import { sql } from 'kysely'
import { type Database } from '../../database/connect.ts'
import { type KnownReferences } from './landed-payment.ts'
import { type AgreedColumns, termsOf } from './payment-terms.ts'

type Row = (AgreedColumns & { id: string }) | { id: null; reference: string }

/** Which of these accounts are references of purchases (with their terms) or of refunds. */
export async function findReferences(database: Database, accounts: readonly string[]): Promise<KnownReferences> {
  if (accounts.length === 0) return new Map()
  const { rows } = await sql<Row>`
    select reference, id, buyer, fee_lamports, fee_wallet, held_at_slot, items_of(purchases.id) as items
      from purchases where reference = any(${accounts})
    union all select refund_reference, null, null, null, null, null, null from cases where refund_reference = any(${accounts})
  `.execute(database)
  return new Map(rows.map((row) => [row.reference, row.id === null ? null : { ...termsOf(row), id: row.id }]))
}
