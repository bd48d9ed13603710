import { lamports, MIN_PRICE_LAMPORTS } from '@juicebar/contract/money'
import { type CaseKind, type Case } from '@juicebar/contract/schemas'
import { Failure } from '@juicebar/contract/errors'
import { isId } from '@juicebar/contract/ids'
import { decodeSignedBytes } from '../../chain/transactions/signed-transaction.ts'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { type Received, totalReceived } from '../payment/landed-payment.ts'
import { type PaymentRow, recordUncounted, voidPayment } from '../payment/payment-store.ts'
import { paymentKeys } from '../purchase/co-signer.ts'
import { transfersOf } from '../purchase/purchase.ts'
import { lockPurchase, type PurchaseRow } from '../purchase/purchase-store.ts'
import { type PurchaseDeps } from '../purchase/purchase-deps.ts'
import { purchaseFields } from '../purchase/purchase-wait.ts'
import { waitOfCase } from './case.ts'
import { type CaseRow, countsForAnother, emitCase, insertCase, type NewCase, findCaseReply, lockCase, moveCase } from './case-store.ts'
import { addSmallPayment, findSmallPayment, isFirstUnmatched, insertUnmatched } from './unmatched-store.ts'

/** A payment that the chain accepted but that could not be delivered. */
export interface UnmatchedPayment {
  purchase: PurchaseRow
  kind: Exclude<CaseKind, 'vanished'>
  payment: Pick<PaymentRow, 'signature' | 'transactionBytes' | 'slot' | 'expiryHeight'>
  /** The chain can no longer drop it. */
  final: boolean
  /** It names the purchase's reference. */
  referenced: boolean
  received: readonly Received[]
  /** Another purchase that its transaction pays for: it is recorded for that one. */
  paidPurchase: string | undefined
  /** It carries the purchase's reference and matches its terms exactly: it may still be delivered. */
  deliverable: boolean
}

interface Opening {
  outcome: 'open' | 'settled' | 'used'
  /** The new cases. */
  opened: readonly CaseRow[]
}

type CaseDeps = Pick<PurchaseDeps, 'database' | 'coSigners' | 'log' | 'observer'>

/**
 * Shows an unmatched payment to its buyer and to each seller who received SOL, as a case for each. The same payment opens them only once.
 * What is less than the least price of a listing adds up in one case a seller.
 * @returns `settled` if it has settled this purchase in the meantime, `used` if its SOL served another purpose.
 */
export async function openCase(deps: CaseDeps, unmatched: UnmatchedPayment): Promise<Opening['outcome']> {
  const { purchase, payment, paidPurchase = purchase.id } = unmatched
  const { outcome, opened } = await inTransaction(deps.database, async (tx): Promise<Opening> => {
    for (const id of [...new Set([purchase.id, paidPurchase])].toSorted()) await lockPurchase(tx, id)
    const owner = await recordUncounted(tx, { ...payment, purchaseId: paidPurchase, genesisHash: purchase.genesisHash })
    const isOurs = owner.purchaseId === purchase.id && owner.kind === 'purchase'
    if (isOurs && owner.status === 'settled') return { outcome: 'settled', opened: [] }
    const reports = await reportsOf(tx, unmatched)
    if (reports.length === 0) return { outcome: 'used', opened: [] }
    if (isOurs) await voidPayment(tx, payment.signature)
    const deliverable = await mayBeDelivered(tx, unmatched, reports)
    const opened = []
    for (const report of reports)
      opened.push(...(await reportCase(tx, { ...report, deliverable, paymentFinal: unmatched.final || isSmall(report) })))
    if (isCoSigned(deps, payment)) await insertUnmatched(tx, payment.signature)
    return { outcome: 'open', opened }
  })
  for (const row of opened) logCase(deps, 'opened', row, purchase)
  return outcome
}

type Report = Omit<NewCase, 'deliverable' | 'paymentFinal'>

/** One for each seller who received SOL, or one without a seller if only the fee wallet did. The first has the fee. */
async function reportsOf(tx: Tx, { purchase, kind, payment, referenced, received }: UnmatchedPayment): Promise<Report[]> {
  const counted: Received[] = []
  for (const part of received) {
    // A payment that names no purchase counts once per buyer and seller; otherwise the seller would pay it back twice.
    const countsElsewhere = !referenced && (await countsForAnother(tx, purchase, part.to, payment.signature))
    if (part.lamports > 0n && !countsElsewhere) counted.push(part)
  }
  const toSellers = counted.filter(({ to }) => purchase.sellers.includes(to))
  const feeLamports = lamports(totalReceived(counted.filter((part) => !toSellers.includes(part))))
  const shared = { purchaseId: purchase.id, kind, signature: payment.signature }
  if (toSellers.length === 0) return counted.length === 0 ? [] : [{ ...shared, seller: null, lamports: lamports(0n), feeLamports }]
  return toSellers.map((part, index) => ({
    ...shared,
    seller: part.to,
    lamports: lamports(part.lamports),
    feeLamports: index === 0 ? feeLamports : lamports(0n),
  }))
}

/** Whether it is less than the least price of a listing. */
function isSmall({ lamports: received, feeLamports }: Pick<NewCase, 'lamports' | 'feeLamports'>): boolean {
  return received + feeLamports < MIN_PRICE_LAMPORTS
}

/** Of late payments with a small part, only the first: the others add up, so that a buyer cannot fill a seller's list with them. */
async function mayBeDelivered(tx: Tx, { purchase, payment, deliverable }: UnmatchedPayment, reports: readonly Report[]): Promise<boolean> {
  return deliverable && (!reports.some(isSmall) || isFirstUnmatched(tx, purchase.id, payment.signature))
}

/** Tells both sides that the chain dropped the payment for which this purchase was delivered. */
export async function openVanishedCase(deps: CaseDeps, purchase: PurchaseRow, payment: PaymentRow): Promise<void> {
  const { signature } = payment
  const unpaid = transfersOf(purchase).filter(({ kind }) => kind === 'seller')
  const opened = await inTransaction(deps.database, async (tx) => {
    const locked = await lockPurchase(tx, purchase.id)
    // Another server may have seen it become final, or let another payment count.
    if (locked?.signature !== signature || locked.finalizedAt !== null) return []
    const cases = []
    for (const { to, lamports: amount } of unpaid) {
      const owed = { seller: to, lamports: amount, feeLamports: lamports(0n) }
      const report = { purchaseId: purchase.id, kind: 'vanished', signature, deliverable: false, paymentFinal: true, ...owed } as const
      cases.push(...(await insertAndEmit(tx, report)))
    }
    await tellDropped(deps, tx, payment)
    return cases
  })
  for (const row of opened) logCase(deps, 'opened', row, purchase)
}

/** Tells everybody of a co-signed payment that the chain has dropped, after it had been told as a trade. */
export async function tellDropped(
  deps: Pick<CaseDeps, 'coSigners'>,
  tx: Tx,
  payment: Pick<PaymentRow, 'signature' | 'transactionBytes'>,
): Promise<void> {
  if (isCoSigned(deps, payment)) await insertUnmatched(tx, payment.signature)
}

/** Whether a key of the market has signed a payment. */
function isCoSigned({ coSigners }: Pick<CaseDeps, 'coSigners'>, { transactionBytes }: Pick<PaymentRow, 'transactionBytes'>): boolean {
  const transaction = decodeSignedBytes(new Uint8Array(transactionBytes))
  const keys: readonly string[] = paymentKeys(coSigners)
  return transaction?.signers.some((signer) => keys.includes(signer)) ?? false
}

/** @returns the case if it is new */
async function reportCase(tx: Tx, report: NewCase): Promise<CaseRow[]> {
  const known = isSmall(report) ? await findSmallPayment(tx, report) : 'own'
  if (known === 'added') return []
  return insertAndEmit(tx, report, known === 'own' || report.deliverable ? insertCase : addSmallPayment)
}

async function insertAndEmit(tx: Tx, report: NewCase, insert = insertCase): Promise<CaseRow[]> {
  const changed = await insert(tx, report)
  if (changed) await emitCase(tx, changed.id)
  return changed?.isNew ? [changed] : []
}

/**
 * The studio closes an open case with a note that both sides read. `record` runs in the transaction that does it.
 * @throws CASE_NOT_FOUND or CASE_NOT_OPEN
 */
export async function closeCase(
  deps: Pick<PurchaseDeps, 'database' | 'catalogue' | 'log' | 'observer'>,
  caseId: string,
  note: string,
  record?: (tx: Tx) => Promise<void>,
): Promise<Case> {
  const { database } = deps
  if (!isId(caseId)) throw new Failure('CASE_NOT_FOUND')
  const row = await inTransaction(database, async (tx) => {
    const open = await lockCase(tx, caseId)
    if (!open) throw new Failure('CASE_NOT_FOUND')
    if (open.status !== 'open') throw new Failure('CASE_NOT_OPEN')
    await record?.(tx)
    return moveCase(tx, caseId, { status: 'closed', reconcileSeconds: null, note })
  })
  const closed = await findCaseReply(deps, caseId)
  if (!closed) throw new Failure('CASE_NOT_FOUND')
  logCase(deps, 'closed', row, { id: row.purchaseId, buyer: closed.buyer })
  return closed
}

type LoggedCase = Pick<CaseRow, 'id' | 'kind' | 'status' | 'seller' | 'lamports' | 'signature' | 'deliverable'>

/** One line for each case that was opened or closed, from the server that committed the change. */
export function logCase(
  { log, observer }: Pick<PurchaseDeps, 'log' | 'observer'>,
  change: 'opened' | 'closed',
  row: LoggedCase,
  purchase: { id: string | null; buyer: string },
): void {
  const { id, kind, status, seller, lamports, signature } = row
  const fields = { case: id, kind, status, seller, lamports: String(lamports), transaction: signature }
  log.info({ ...purchaseFields(purchase, { waitingFor: waitOfCase(row) }), ...fields }, `a case was ${change}`)
  observer?.caseChanged(change, kind)
}
