import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'

import { type Database } from '../../database/connect.ts'
import { isId } from '../../listings/listing.ts'
import { type PurchaseDeps } from '../purchase-deps.ts'
import { findPurchase } from '../purchase-store.ts'
import { type CaseSubject, isRefundable } from './case.ts'
import { type CaseRow, findCase } from './case-store.ts'
import { findLostPurchase } from './lost-case-store.ts'

/** A case that a seller asks about, and what it is about. */
export interface SellersCase {
  row: CaseRow
  subject: CaseSubject
}

/** What a case is about. @throws Error if the database contradicts itself */
export async function requireSubject(database: Database, { id, purchaseId }: Pick<CaseRow, 'id' | 'purchaseId'>): Promise<CaseSubject> {
  const subject = purchaseId === null ? await findLostPurchase(database, id) : await findPurchase(database, purchaseId)
  if (!subject) throw new Error(`case ${id} has no purchase`)
  return subject
}

/**
 * A case as its seller finds it, in whatever state it is.
 * @throws CASE_NOT_FOUND or NOT_YOUR_REFUND
 */
export async function requireCase(
  { database }: Pick<PurchaseDeps, 'database'>,
  seller: WalletAddress,
  caseId: string,
): Promise<SellersCase> {
  const row = isId(caseId) ? await findCase(database, caseId) : undefined
  if (!row) throw new Failure('CASE_NOT_FOUND')
  const subject = await requireSubject(database, row)
  if (subject.buyer === seller) throw new Failure('NOT_YOUR_REFUND')
  if (row.seller !== seller) throw new Failure('CASE_NOT_FOUND')
  return { row, subject }
}

/** @throws CASE_NOT_OPEN if its seller may not refund this case now */
export function requireOpen(row: CaseRow | undefined): asserts row is CaseRow {
  if (!row || !isRefundable(row)) throw new Failure('CASE_NOT_OPEN')
}
