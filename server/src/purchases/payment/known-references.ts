import { type LandedTransaction } from '../../chain/chain.ts'
import { type Database } from '../../database/connect.ts'
import { ambiguousReferences } from './landed-payment.ts'
import { findReferences } from '../purchase-store.ts'

/** The references that the transfers of a transaction may name, for `verifyPayment`; beside `reference` none but where one names several. */
export async function knownReferences(database: Database, transaction: LandedTransaction, reference: string): Promise<ReadonlySet<string>> {
  const names = ambiguousReferences(transaction)
  return new Set([reference, ...(names.length > 0 ? await findReferences(database, names) : [])])
}
