import { solText } from '@juicebar/contract/money'
import { type TimelineEntry } from '@juicebar/contract/schemas'

import { explainCase } from '../../purchases/cases/case.ts'
import { amountOf } from '../../purchases/purchase-item.ts'
import { type HistoricCase, type HistoricPayment, type PurchaseHistory } from './history.ts'

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
  const { createdAt, buyer, items, priceLamports, feeLamports, payBefore } = history
  const lots = items.length === 1 ? '' : ` of ${items.length} lots`
  const fee = feeLamports > 0n ? ` and a fee of ${solText(feeLamports)} SOL` : ''
  const detail = `${amountOf(items)} drinks${lots} for ${solText(priceLamports)} SOL${fee}, by ${buyer}, to be paid before ${payBefore.toISOString()}.`
  return { at: createdAt, event: 'held', detail }
}

/** For a payment. The refund of a case is part of the case's entries. */
function paymentMoments(history: PurchaseHistory, payment: HistoricPayment): Moment[] {
  const { kind, status, signature, createdAt, confirmedAt } = payment
  if (kind === 'refund') return []
  const confirmed: Moment[] =
    confirmedAt === null ? [] : [{ at: confirmedAt, event: 'confirmed', detail: `The chain has confirmed transaction ${signature}.` }]
  if (wasFound(history, payment)) return confirmed
  const ending = status === 'void' ? ' It did not count: it failed, expired, or came too late.' : ''
  return [
    { at: createdAt, event: 'submitted', detail: `Transaction ${signature} was checked and recorded.${ending}` },
    { at: createdAt, event: 'sent', detail: 'The server sent it, and sends it again until it lands or expires.' },
    ...confirmed,
  ]
}

/** Whether a payment was first seen on the chain: then it is recorded by the transaction that delivers it, or makes it a case. */
function wasFound({ signature, settledAt, cases }: PurchaseHistory, payment: HistoricPayment): boolean {
  const recordedAt = payment.createdAt.getTime()
  if (payment.signature === signature && settledAt?.getTime() === recordedAt) return true
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
    const detail = `${amountOf(items)} drinks went to ${buyer}, for transaction ${signature ?? ''}.`
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
