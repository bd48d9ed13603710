import { type Signature } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'
import { sql } from 'kysely'

import { type Tx } from '../../database/transact.ts'
import { type CaseRow, caseColumns, insertCase, type NewCase } from './case-store.ts'

/** Whether a payment has a case of its own, or adds up with others in one, for this purchase and seller. The purchase is locked. */
export async function findSmallPayment(tx: Tx, { purchaseId, seller, signature }: NewCase): Promise<'own' | 'added' | undefined> {
  const { rows } = await sql<{ added: boolean }>`
    select exists (select from small_payments s where s.case_id = c.id and s.signature = ${signature}) as added
    from cases c
    where c.purchase_id = ${purchaseId} and c.seller is not distinct from ${seller}
      and (c.signature = ${signature} or c.id in (select case_id from small_payments where signature = ${signature}))`.execute(tx)
  const [found] = rows
  return found && (found.added ? 'added' : 'own')
}

/** Whether no other payment of a purchase became a case before this one. The purchase is locked. */
export async function isFirstUnmatched(tx: Tx, purchaseId: string, signature: Signature): Promise<boolean> {
  const { count, own } = await tx
    .selectFrom('cases')
    .select([sql<number>`count(*)::int`.as('count'), sql<boolean | null>`bool_or(signature = ${signature})`.as('own')])
    .where('purchaseId', '=', purchaseId)
    .executeTakeFirstOrThrow()
  return count === 0 || own === true
}

/**
 * Adds a small payment to the open case that adds up those of its purchase to its seller; opens it if there is none, or if its seller has
 * prepared a refund, whose amount is fixed. The purchase is locked, and the payment is not added up yet.
 * @returns the case; undefined if the payment has a case of its own
 */
export async function addSmallPayment(tx: Tx, report: NewCase): Promise<(CaseRow & { isNew: boolean }) | undefined> {
  const { purchaseId, signature, seller, lamports, feeLamports } = report
  const grown = await tx
    .updateTable('cases')
    .set({
      lamports: sql<Lamports>`lamports + ${lamports}`,
      feeLamports: sql<Lamports>`fee_lamports + ${feeLamports}`,
    })
    .where('purchaseId', '=', purchaseId)
    .where(sql<boolean>`seller is not distinct from ${seller}`)
    .where('status', '=', 'open')
    .where('refundReference', 'is', null)
    .where(sql<boolean>`exists (select from small_payments s where s.case_id = cases.id)`)
    .returning(caseColumns)
    .executeTakeFirst()
  const row = grown ? { ...grown, isNew: false } : await insertCase(tx, report)
  if (row) await tx.insertInto('smallPayments').values({ caseId: row.id, signature, lamports, feeLamports }).execute()
  return row
}
