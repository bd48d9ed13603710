import { type BaseLogger } from 'pino'

import { waitOfCase } from './cases/case.ts'
import { type CaseRow } from './cases/case-store.ts'
import { type PurchaseRow } from './purchase-store.ts'
import { purchaseFields } from './purchase-wait.ts'

type Log = Pick<BaseLogger, 'info'>

/** One line for each sale, from the server that has committed it. */
export function logSale(log: Log, purchase: PurchaseRow, signature: string): void {
  const { seller, listingId, tokenType, amount, priceLamports } = purchase
  const sold = { seller, listing: listingId, tokenType, amount: Number(amount), lamports: String(priceLamports), transaction: signature }
  log.info({ ...purchaseFields(purchase, { waitingFor: 'its payment to be finalized' }), ...sold }, 'a sale')
}

type LoggedCase = Pick<CaseRow, 'id' | 'kind' | 'status' | 'lamports' | 'signature' | 'deliverable'>

/** One line for each case that was opened or closed, from the server that has committed it. */
export function logCase(
  log: Log,
  change: 'opened' | 'closed',
  row: LoggedCase,
  purchase: Pick<PurchaseRow, 'id' | 'buyer' | 'seller'>,
): void {
  const { id, kind, status, lamports, signature } = row
  const fields = { case: id, kind, status, seller: purchase.seller, lamports: String(lamports), transaction: signature }
  log.info({ ...purchaseFields(purchase, { waitingFor: waitOfCase(row) }), ...fields }, `a case was ${change}`)
}
