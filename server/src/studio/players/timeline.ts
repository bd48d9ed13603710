import { type CaseKind, type CaseStatus, type EndReason, type TimelineEntry } from '@juicebar/contract/schemas'
import { solText } from '@juicebar/contract/money'
import { type PaymentRow } from '../../purchases/payment/payment-store.ts'
import { type PurchaseRow } from '../../purchases/purchase/purchase-store.ts'
import { explainCase, waitOfCase } from '../../purchases/cases/case.ts'
import { amountOf } from '../../purchases/purchase/purchase.ts'
import { waitOf } from '../../purchases/purchase/purchase-wait.ts'

/** A transaction of a purchase: a payment, or the refund of a case. */
export type HistoricPayment = Pick<PaymentRow, 'signature' | 'kind' | 'caseId' | 'status' | 'confirmedAt' | 'createdAt'>

export interface HistoricCase {
  id: string
  kind: CaseKind
  status: CaseStatus
  signature: string
  seller: string | null
  lamports: bigint
  feeLamports: bigint
  deliverable: boolean
  note: string | null
  openedAt: Date
  closedAt: Date | null
}

/** Everything that is known about the history of a purchase. */
export interface PurchaseHistory extends PurchaseRow {
  endReason: EndReason | null
  endedAt: Date | null
  reconciledAt: Date | null
  /** When the payment window closes, outages included. */
  payUntil: Date
  /** By the database's clock, when this was read. */
  now: Date
  payments: readonly HistoricPayment[]
  cases: readonly HistoricCase[]
}

interface Moment {
  at: Date
  event: TimelineEntry['event']
  detail: string
}

/** What happened to a purchase, in order. */
export function timelineOf(history: PurchaseHistory): TimelineEntry[] {
  return [held(history), ...history.payments.flatMap((payment) => paymentMoments(history, payment)), ...outcomes(history)]
    .concat(history.cases.flatMap((each) => caseMoments(history, each)))
    .map((moment, index) => ({ ...moment, index }))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.index - b.index)
    .map(({ at, event, detail }) => ({ at: at.toISOString(), event, detail }))
}

function held(history: PurchaseHistory): Moment {
  const { createdAt, buyer, items, priceLamports, feeLamports, payBefore, coSigned } = history
  const terms = coSigned ? 'with a payment that only the market can send' : `to be paid before ${payBefore.toISOString()}`
  const listings = items.length === 1 ? '' : ` of ${items.length} listings`
  const fee = feeLamports > 0n ? ` and a fee of ${solText(feeLamports)} SOL` : ''
  const detail = `${amountOf(items)} items${listings} for ${solText(priceLamports)} SOL${fee}, by ${buyer}, ${terms}.`
  return { at: createdAt, event: 'held', detail }
}

/** For a payment. The refund of a case is part of the case's entries. */
function paymentMoments(history: PurchaseHistory, payment: HistoricPayment): Moment[] {
  const { kind, status, signature, createdAt, confirmedAt } = payment
  if (kind === 'refund') return []
  const confirmed: Moment[] =
    confirmedAt === null ? [] : [{ at: confirmedAt, event: 'confirmed', detail: `The chain has confirmed transaction ${signature}.` }]
  if (wasFound(history, payment)) return confirmed
  const ending = status === 'void' ? ' It did not count: it failed, expired, came too late, or another payment counted first.' : ''
  return [
    { at: createdAt, event: 'submitted', detail: `Transaction ${signature} was checked and recorded.${ending}` },
    { at: createdAt, event: 'sent', detail: 'The server sent it, and sends it again until it lands or expires.' },
    ...confirmed,
  ]
}

/** Whether a payment was first seen on the chain: then it is recorded by the transaction that delivers it, or makes it a case. */
function wasFound({ cases }: PurchaseHistory, payment: HistoricPayment): boolean {
  const recordedAt = payment.createdAt.getTime()
  if (payment.confirmedAt?.getTime() === recordedAt) return true
  return cases.some((each) => each.signature === payment.signature && each.openedAt.getTime() === recordedAt)
}

const endings = {
  released: 'The studio released the hold.',
  cancelled: 'The buyer cancelled, and the hold ended.',
  lapsed: 'Nobody paid in time, and the hold ended.',
  expired: 'The submitted payment could not land any more, and the hold ended.',
  failed: 'The chain carried the payment out without effect, so no SOL moved, and the reservation ended.',
  chain_gone: 'The local chain was restarted, and the hold ended.',
}

function outcomes(history: PurchaseHistory): Moment[] {
  const { buyer, items, signature, settledAt, finalizedAt } = history
  const moments: Moment[] = endOf(history)
  if (settledAt !== null) {
    const detail = `${amountOf(items)} items went to ${buyer}, for transaction ${signature ?? ''}.`
    moments.push({ at: settledAt, event: 'delivered', detail })
  }
  if (finalizedAt !== null) moments.push({ at: finalizedAt, event: 'finalized', detail: 'The payment can never be undone.' })
  return moments
}

/** How the hold ended without a payment, or how its end was requested. */
function endOf({ status, cancelRequested, payBefore, endReason, endedAt, releaseReason }: PurchaseHistory): Moment[] {
  if (endedAt === null) {
    const detail = 'The buyer cancelled. The hold ends once the chain has proved that no payment can come.'
    return cancelRequested ? [{ at: payBefore, event: 'cancelled', detail }] : []
  }
  // Kept although the payment turned up later.
  if (releaseReason !== null) return [{ at: endedAt, event: 'cancelled', detail: `The studio released the hold: ${releaseReason}` }]
  if (endReason === null || status === 'settled') {
    return [{ at: endedAt, event: cancelRequested ? 'cancelled' : 'expired', detail: 'The hold ended unpaid; its payment came later.' }]
  }
  return [{ at: endedAt, event: endReason === 'cancelled' ? 'cancelled' : 'expired', detail: endings[endReason] }]
}

function caseMoments({ payments }: PurchaseHistory, subject: HistoricCase): Moment[] {
  const { id, kind, signature, seller, lamports, openedAt, closedAt, note } = subject
  const received = seller === null ? '' : ` ${seller} received ${solText(lamports)} SOL.`
  const what = kind === 'vanished' ? '' : received
  const opened: Moment = {
    at: openedAt,
    event: 'case.opened',
    detail: `Case ${id} (${kind}), for transaction ${signature}.${what} ${explainCase({ ...subject, status: 'open' })}`,
  }
  if (closedAt === null) return [opened]
  const refund = payments.find(({ caseId, status }) => caseId === id && status !== 'void')
  const how = refund ? ` Refunded by transaction ${refund.signature}.` : ''
  return [opened, { at: closedAt, event: 'case.closed', detail: `Case ${id}: ${subject.status}.${how}${note === null ? '' : ` ${note}`}` }]
}

/**
 * What a purchase is waiting for, in one sentence; null if nothing.
 * @param earlierChain it was made on a local chain that has been restarted since
 */
export function waitingForOf(history: PurchaseHistory, earlierChain: boolean): string | null {
  const open = history.cases.find((each) => waitOfCase(each) !== null)
  if (history.status !== 'held' && open) return sentence(waitOfCase(open) ?? '', secondsSince(history, open.openedAt))
  if (earlierChain) return null
  const payment = history.payments.find(({ kind, status }) => kind === 'purchase' && status === 'recorded')
  const wait = waitOf(history, { now: history.now, payUntil: history.payUntil, payment })
  if (!wait) return null
  const isSending = payment !== undefined && payment.confirmedAt === null && history.reconciledAt !== null
  const looked = isSending
    ? `; the server looked ${duration(secondsSince(history, history.reconciledAt ?? history.now))} ago, and sends it again`
    : ''
  return sentence(wait.waitingFor, secondsSince(history, wait.since), looked)
}

function secondsSince({ now }: PurchaseHistory, time: Date): number {
  return Math.max(0, Math.round((now.getTime() - time.getTime()) / 1000))
}

function sentence(waitingFor: string, seconds: number, more = ''): string {
  return `It has waited for ${waitingFor} for ${duration(seconds)}${more}.`
}

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
]

function duration(seconds: number): string {
  const unit = units.find((each) => seconds >= 2 * each.seconds)
  return unit ? `${Math.floor(seconds / unit.seconds)} ${unit.name}` : `${seconds} s`
}
