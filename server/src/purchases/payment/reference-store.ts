import { sql } from 'kysely'

import { type Database } from '../../database/connect.ts'

/** Which of these accounts are references of purchases or of refunds. */
export async function findReferences(database: Database, accounts: readonly string[]): Promise<ReadonlySet<string>> {
  if (accounts.length === 0) return new Set()
  const { rows } = await sql<{ reference: string }>`
    select reference from purchases where reference = any(${accounts})
    union select refund_reference from cases where refund_reference = any(${accounts})
  `.execute(database)
  return new Set(rows.map(({ reference }) => reference))
}
