import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { MIN_PRICE_SOL } from '@juicebar/contract/limits'
import { solText } from '@juicebar/contract/money'
import { type CaseKind, type CaseStatus } from '@juicebar/contract/schemas'

import { isId } from '../../listings/listing.ts'
import { type PurchaseRow } from '../purchase-store.ts'

/** What a case is about: its purchase, or what is known of one that the database has lost. */
export type CaseSubject = PurchaseRow | LostPurchase

export interface LostPurchase {
  id: null
  buyer: WalletAddress
  /** The chain that shows its payment. */
  genesisHash: string
  /** It was held before its payment landed, which is known. Refunds came later. */
  heldAtSlot: bigint
}

/** Kinds in which the seller received SOL for nothing. A vanished payment left the seller unpaid. */
const refundableKinds = new Set<CaseKind>(['late', 'wrong', 'double', 'lost'])

/** Whether the seller may refund this case now. */
export function isRefundable({ kind, status, seller }: { kind: CaseKind; status: CaseStatus; seller: string | null }): boolean {
  return status === 'open' && seller !== null && refundableKinds.has(kind)
}

/** Whether a case in this status is over. */
export function isClosed(status: CaseStatus): boolean {
  return status === 'delivered' || status === 'refunded' || status === 'closed'
}

const whatHappened: Record<CaseKind, string> = {
  late: 'This payment arrived after the time to pay for the lot had run out.',
  wrong: 'This payment was not exactly what was agreed, so it did not buy the lot.',
  double: 'The lot was already paid for and delivered; this is a second payment.',
  vanished: 'The network dropped this payment after the tokens had been delivered.',
  lost: 'The market has lost its record of the purchase that this payment was for.',
}

const whatNext: Record<CaseStatus, string> = {
  open: 'The seller can send the SOL back with one click.',
  refunding: 'The seller is sending the SOL back.',
  delivered: 'The lot was still for sale, so it was delivered after all.',
  refunded: 'The seller sent the SOL back.',
  closed: 'The studio has closed this case.',
}

interface ExplainedCase {
  kind: CaseKind
  status: CaseStatus
  deliverable: boolean
  seller: string | null
  feeLamports: bigint
  /** How many payments add up in it. */
  smallPayments?: number
}

/** What happened and what to do, in words for buyer and seller. */
export function explainCase(subject: ExplainedCase): string {
  const { status, feeLamports, smallPayments = 0 } = subject
  const added = smallPayments > 1 ? ` It adds up ${smallPayments} payments of less than ${MIN_PRICE_SOL} SOL each.` : ''
  const explanation = `${explainPayment(subject)}${added}`
  if (feeLamports === 0n || status === 'delivered') return explanation
  return `${explanation} The fee of ${solText(feeLamports)} SOL is not returned by the seller: the studio owes it to the buyer.`
}

function explainPayment({ kind, status, deliverable, seller }: ExplainedCase): string {
  if (seller === null) return `${whatHappened[kind]} It paid nobody but the studio.${status === 'closed' ? ` ${whatNext.closed}` : ''}`
  if (status === 'open' && kind === 'lost') return `${whatHappened.lost} ${whatNext.open} Otherwise the studio settles it with both sides.`
  if (status === 'open' && kind === 'vanished') return `${whatHappened.vanished} The studio has been told.`
  if (status === 'open' && deliverable) {
    return `${whatHappened[kind]} It will be delivered if the lot becomes free; until then the seller can send the SOL back with one click.`
  }
  return `${whatHappened[kind]} ${whatNext[status]}`
}

/** What a case is waiting for, in words for the operator; null if nothing. */
export function waitOfCase({ kind, status, deliverable, seller }: Omit<ExplainedCase, 'feeLamports'>): string | null {
  if (status === 'refunding') return 'its refund to be finalized'
  if (status !== 'open') return null
  if (kind === 'vanished' || seller === null) return 'the studio to close its case'
  if (kind === 'lost') return 'the seller to refund it, or the studio to close its case'
  return deliverable ? 'its listing to be free, or the seller to refund it' : 'the seller to refund it'
}

/** Where a page of cases ended: whether its last case needed action when it was shown, and that case's identifier. */
export interface CasePosition {
  waits: boolean
  id: string
}

export function caseCursor({ waits, id }: CasePosition): string {
  return `${waits ? 'waits' : 'closed'}.${id}`
}

/**
 * Reads what `caseCursor` wrote.
 * @throws CURSOR_INVALID
 */
export function parseCaseCursor(cursor: string): CasePosition {
  const [state, id = ''] = cursor.split('.')
  if ((state !== 'waits' && state !== 'closed') || !isId(id)) throw new Failure('CURSOR_INVALID')
  return { waits: state === 'waits', id }
}
