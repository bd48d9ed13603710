import { type Signature } from '@juicebar/contract/addresses'

import { type Database } from '../../database/connect.ts'
import { type Tx } from '../../database/transact.ts'

/** A transaction on the chain that names the reference of a case's refund, so that it may be the refund. */
export interface SeenRefund {
  signature: Signature
  /** Above this block height it can no longer land if the chain drops it. */
  expiryHeight: bigint
}

/** Records refunds that a server has seen on the chain: from now on no server delivers what they pay back. */
export async function insertSeenRefunds(database: Database, caseId: string, refunds: readonly SeenRefund[]): Promise<void> {
  if (refunds.length === 0) return
  const rows = refunds.map((refund) => ({ caseId, ...refund }))
  await database
    .insertInto('refundsSeen')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** What any server has seen for a case. */
export async function listSeenRefunds(database: Database, caseId: string): Promise<SeenRefund[]> {
  return database.selectFrom('refundsSeen').select(['signature', 'expiryHeight']).where('caseId', '=', caseId).execute()
}

/** Whether a server has seen a refund for a case, which is locked. */
export async function hasSeenRefund(tx: Tx, caseId: string): Promise<boolean> {
  return (await tx.selectFrom('refundsSeen').select('signature').where('caseId', '=', caseId).limit(1).executeTakeFirst()) !== undefined
}

/** Forgets what the chain has dropped and can no longer take. */
export async function deleteSeenRefunds(tx: Tx, caseId: string, signatures: readonly Signature[]): Promise<void> {
  if (signatures.length === 0) return
  await tx.deleteFrom('refundsSeen').where('caseId', '=', caseId).where('signature', 'in', signatures).execute()
}
