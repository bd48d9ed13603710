import { type Signature } from '@juicebar/contract/addresses'
import { type LandedTransaction, type SignatureStatus } from '../../chain/chain.ts'
import { type CaseSubject, isClosed } from '../cases/case.ts'
import { type SeenRefund } from '../cases/seen-refund-store.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { type PurchaseRow } from '../purchase/purchase-store.ts'
import { type VerifiedCandidate } from '../settlement/candidate.ts'
import { hasLanded } from './purchase-decision.ts'
import { type DueCase } from './reconciliation-store.ts'
import { DELIVERY_SECONDS, finalitySeconds, REFUND_SECONDS, secondsToNextLateSearch } from './schedule.ts'

/**
 * closed: nothing is left to do. chainGone: its local chain has been restarted since, and the SOL is gone with it. refunding: a refund
 * is recorded and under way. open: everything else.
 */
export type CaseState = 'closed' | 'chainGone' | 'refunding' | 'open'

/** The recorded refund of a case. */
export interface RefundReading {
  payment: PaymentRow
  status: SignatureStatus | undefined
  /** Proved expired: it can never land. */
  expired: boolean
  /** The height at which it expires, to be kept because the one that is kept is too high. */
  expiryHeight?: bigint
  /** Read once it is finalized: its slot, and whether it pays the buyer back as agreed. Undefined if no endpoint shows it. */
  landed: { slot: bigint; paysBack: boolean } | undefined
}

/**
 * The outcome of a refund that was prepared but never submitted; the seller's wallet may have sent it itself. none: none was
 * prepared, or an earlier search proved that it can't land. possible: it may still land, perhaps again; `expiryHeight`: up to there, because the height that is kept is too high. expired: the chain now proves that
 * it can't, nor what was seen of it. If the seller signs it again with its reference, that one still may, and a later search finds it.
 * unclear: its reference is named by something that is not a refund, or by more than can be read, so nothing is delivered.
 */
export type PreparedRefund =
  | { kind: 'none' }
  | { kind: 'possible'; expiryHeight?: bigint }
  | { kind: 'expired'; seen: readonly Signature[] }
  | { kind: 'unclear'; mentions: readonly SeenRefund[] }
  | {
      kind: 'landed'
      transaction: LandedTransaction
      /** Above this height it can no longer land if the chain drops it. */
      expiryHeight: bigint
      /** The transaction is already recorded for another purpose. */
      recordedElsewhere: boolean
      finalized: boolean
    }

/** dropped: proved never to become final. */
export type PaymentReading = 'final' | 'mayVanish' | 'dropped'

/** The late payment of a case that may still be delivered. */
export type DeliveryReading = { listing: 'gone' | 'held' } | { listing: 'free'; purchase: PurchaseRow; candidate: VerifiedCandidate }

/** A case and what the chain shows about it, read for one round. Values that its state does not need are undefined. */
export interface CaseSnapshot {
  row: DueCase
  subject: CaseSubject
  state: CaseState
  refund?: RefundReading | undefined
  /** Read until it is known to be final. */
  payment?: PaymentReading
  prepared?: PreparedRefund
  /** Read only if the case is deliverable and no refund can be under way. */
  delivery?: DeliveryReading
}

export type CaseAction =
  | { kind: 'closeWithChain' }
  | { kind: 'closeDropped' }
  | { kind: 'notePaymentFinal' }
  | { kind: 'broadcast'; payment: PaymentRow }
  | { kind: 'closeRefunded'; payment: PaymentRow; slot: bigint }
  | { kind: 'reopen'; payment: PaymentRow }
  | { kind: 'recordRefund'; transaction: LandedTransaction; expiryHeight: bigint }
  | { kind: 'closeRefundedTogether'; transaction: LandedTransaction }
  | { kind: 'lowerPrepared'; height: bigint }
  | { kind: 'lowerRefund'; payment: PaymentRow; height: bigint }
  | { kind: 'noteRefunds'; refunds: readonly SeenRefund[] }
  | { kind: 'forgetRefund'; seen: readonly Signature[] }
  | { kind: 'giveUpDelivery' }
  | { kind: 'deliver'; purchase: PurchaseRow; candidate: VerifiedCandidate }

export interface CaseDecision {
  actions: CaseAction[]
  /** Seconds until the case is due again if it does not change; null for never. */
  nextSeconds: number | null
}

export function caseStateOf(row: DueCase, subject: Pick<CaseSubject, 'genesisHash'>, genesisHash: string): CaseState {
  if (isClosed(row.status)) return 'closed'
  if (subject.genesisHash !== genesisHash) return 'chainGone'
  return row.status === 'refunding' ? 'refunding' : 'open'
}

/** What each state reads and decides. */
const decisions: Record<CaseState, (snapshot: CaseSnapshot) => CaseDecision> = {
  closed: () => never([]),
  chainGone: () => never([{ kind: 'closeWithChain' }]),
  refunding: followRefund,
  open: followPayment,
}

/** Decides what to do about a case, from one snapshot alone. */
export function decideCase(snapshot: CaseSnapshot): CaseDecision {
  return decisions[snapshot.state](snapshot)
}

/** A recorded refund is broadcast until it is finalized, which closes the case; one that can't land, or doesn't pay back, reopens it. */
function followRefund({ refund }: CaseSnapshot): CaseDecision {
  if (!refund) return never([])
  const { payment, status, expired, expiryHeight: height, landed } = refund
  if (status?.commitment === 'finalized') {
    if (!landed) return again([], REFUND_SECONDS)
    return never([landed.paysBack ? { kind: 'closeRefunded', payment, slot: landed.slot } : { kind: 'reopen', payment }])
  }
  if (hasLanded(status)) return again([], REFUND_SECONDS)
  if (height !== undefined) return again([{ kind: 'lowerRefund', payment, height }], REFUND_SECONDS)
  return expired ? never([{ kind: 'reopen', payment }]) : again(status ? [] : [{ kind: 'broadcast', payment }], REFUND_SECONDS)
}

/** What the chain drops needs no refund: its SOL never left the buyer. */
function followPayment(snapshot: CaseSnapshot): CaseDecision {
  if (snapshot.payment === 'dropped') return never([{ kind: 'closeDropped' }])
  const { actions, nextSeconds } = decideOpen(snapshot)
  if (snapshot.payment === 'final') return { actions: [{ kind: 'notePaymentFinal' }, ...actions], nextSeconds }
  if (snapshot.payment !== 'mayVanish') return { actions, nextSeconds }
  const soon = finalitySeconds(snapshot.row.secondsOpen)
  return { actions, nextSeconds: Math.min(nextSeconds ?? soon, soon) }
}

/** A refund that may be under way comes first; a late payment can be delivered only if there is none. */
function decideOpen(snapshot: CaseSnapshot): CaseDecision {
  const { prepared } = snapshot
  switch (prepared?.kind) {
    case 'possible': {
      const { expiryHeight: height } = prepared
      return again(height === undefined ? [] : [{ kind: 'lowerPrepared', height }], REFUND_SECONDS)
    }
    case 'landed': {
      const { transaction, expiryHeight, recordedElsewhere, finalized } = prepared
      if (!recordedElsewhere) return again([{ kind: 'recordRefund', transaction, expiryHeight }], REFUND_SECONDS)
      if (finalized) return again([{ kind: 'closeRefundedTogether', transaction }], REFUND_SECONDS)
      return again([{ kind: 'noteRefunds', refunds: [{ signature: transaction.signature, expiryHeight }] }], REFUND_SECONDS)
    }
    case 'expired': {
      const { actions, nextSeconds } = decideDelivery(snapshot)
      return { actions: [{ kind: 'forgetRefund', seen: prepared.seen }, ...actions], nextSeconds }
    }
    case 'unclear':
      return { actions: [{ kind: 'noteRefunds', refunds: prepared.mentions }], nextSeconds: lateSeconds(snapshot) }
    case 'none':
    case undefined:
      return decideDelivery(snapshot)
  }
}

/** A late payment is delivered as soon as its listing is free. */
function decideDelivery(snapshot: CaseSnapshot): CaseDecision {
  const { delivery } = snapshot
  const late = lateSeconds(snapshot)
  if (!delivery) return { actions: [], nextSeconds: late }
  switch (delivery.listing) {
    case 'gone':
      return { actions: [{ kind: 'giveUpDelivery' }], nextSeconds: late }
    case 'held':
      return again([], DELIVERY_SECONDS)
    case 'free':
      return again([{ kind: 'deliver', purchase: delivery.purchase, candidate: delivery.candidate }], DELIVERY_SECONDS)
  }
}

function lateSeconds({ row }: CaseSnapshot): number | null {
  return secondsToNextLateSearch(row.secondsOpen, { serverSends: false })
}

function again(actions: CaseAction[], nextSeconds: number): CaseDecision {
  return { actions, nextSeconds }
}

function never(actions: CaseAction[]): CaseDecision {
  return { actions, nextSeconds: null }
}
