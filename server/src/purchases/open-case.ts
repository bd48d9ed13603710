import { type Signature } from '@juicebar/contract/addresses'
import { type Lamports, lamports } from '@juicebar/contract/money'
import { type CaseKind } from '@juicebar/contract/schemas'

import { type Database } from '../database/connect.ts'
import { inTransaction } from '../database/transact.ts'
import { emitCase, insertCase } from './case-store.ts'
import { markDead } from './payment-store.ts'

export interface CaseReport {
  purchaseId: string
  kind: CaseKind
  signature: Signature
  lamports: bigint
  /** It names the purchase and fits it exactly: the lot may still be delivered. */
  deliverable: boolean
}

/** Makes a payment that could not be delivered visible to buyer and seller; the same payment opens one case only. */
export async function openCase(database: Database, report: CaseReport): Promise<void> {
  const amount: Lamports = lamports(report.lamports)
  await inTransaction(database, async (tx) => {
    const caseId = await insertCase(tx, { ...report, lamports: amount })
    if (!caseId) return
    await markDead(tx, report.signature)
    await emitCase(tx, caseId)
  })
}
