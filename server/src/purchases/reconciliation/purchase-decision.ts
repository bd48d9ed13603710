import { type SignatureStatus } from '../../chain/chain.ts'
import { APART_SLOTS } from '../purchase/purchase.ts'
import { type PaymentRow } from '../payment/payment-store.ts'
import { type VerifiedCandidate } from '../settlement/candidate.ts'
import { type CurrentPayment, type DuePurchase } from './reconciliation-store.ts'
import {
  finalitySeconds,
  rebroadcasts,
  searchSeconds,
  secondsToNextLateSearch,
  SENT_SECONDS,
  UNDECIDED_SECONDS,
  UNPROVABLE_SECONDS,
  UNREAD_SECONDS,
} from './schedule.ts'
import { type HistorySearch, type ReferenceSearch } from './history-search.ts'

/**
 * chainGone: a hold on a local chain that has been restarted since. reserved: co-signed, its payment is under way. windowOpen, windowClosed: a
 * hold whose buyer may still pay, or may not. awaitingFinality: delivered, but the payment may still vanish. finalized, ended: closed; only
 * late and second payments can come. earlierChain: closed, and its chain is gone.
 */
export type PurchaseState =
  | 'chainGone'
  | 'reserved'
  | 'windowOpen'
  | 'windowClosed'
  | 'awaitingFinality'
  | 'finalized'
  | 'ended'
  | 'earlierChain'

/** A purchase and what the chain shows about it, read for one round. Values that its state does not need are left empty. */
export interface PurchaseSnapshot {
  purchase: DuePurchase
  state: PurchaseState
  /** The recorded payment of a hold, or the one that settled the purchase. */
  payment: CurrentPayment | undefined
  status: SignatureStatus | undefined
  /** The payment is proved expired: it can never land (again). */
  paymentExpired: boolean
  candidates: readonly VerifiedCandidate[]
  /** Every candidate that was found has been read, and where the payment has expired, no endpoint is silent that may show another one. */
  allRead: boolean
  /** What else may pay in place of its expired payment has had the time to be shown. */
  othersHadTime: boolean
  /** How far the transactions that name its reference are decided. */
  search: ReferenceSearch
  /** The buyer's own transactions were searched. */
  scannedBuyer: boolean
  /** The slot since which its payments are searched for, to be kept because the one that is kept is above the chain. */
  heldAtSlot: bigint | undefined
  /** The height above which nothing signed in time can land, to be kept if none is kept yet, or one that is too high. */
  releaseHeight: bigint | undefined
  /** The height at which the payment expires, to be kept because the one that is kept is too high. */
  expiryHeight: bigint | undefined
  /** It can be proved whether it was paid, and this round had no more requests for that. */
  waitsForProof: boolean
  /** The finalized chain above the release height was searched and shows no candidates other than these. */
  finalizedSearched: boolean
  /** The progress of that search, if it is new. */
  searches: readonly HistorySearch[]
  /** Of a co-signed payment: it is overdue and the chain would refuse it, or it has expired and its buyer has too little SOL for it. */
  unfunded: boolean
  /** No endpoint can ever prove that no payment landed. Undefined if this round has not checked. */
  unprovable: boolean | undefined
}

export type PurchaseAction =
  | { kind: 'endHold'; because: 'unpaid' | 'failed' | 'chainGone'; unfunded?: boolean }
  | { kind: 'broadcast'; payment: PaymentRow }
  | { kind: 'voidPayment'; payment: PaymentRow }
  | { kind: 'settle'; candidate: VerifiedCandidate }
  | { kind: 'ruleOut'; candidate: VerifiedCandidate }
  | { kind: 'lowerHeldAtSlot'; slot: bigint }
  | { kind: 'noteUnfunded' }
  | { kind: 'setReleaseHeight'; height: bigint }
  | { kind: 'lowerExpiryHeight'; payment: PaymentRow; height: bigint }
  | { kind: 'saveSearches'; searches: readonly HistorySearch[] }
  | { kind: 'markUnprovable'; unprovable: boolean }
  | { kind: 'openVanishedCase'; payment: PaymentRow }
  /** `last`: if none of these can count now, nothing will. */
  | { kind: 'replacePayment'; payment: PaymentRow; candidates: readonly VerifiedCandidate[]; last: boolean }

export interface PurchaseDecision {
  /** Handled in this order, up to the first that settles the purchase. */
  actions: PurchaseAction[]
  /** The payment that settled it is finalized. Recorded when the leases are returned, for the whole round at once. */
  finalized?: boolean
  /** Seconds until the purchase is due again if it does not change; null for never. */
  nextSeconds: number | null
}

export function purchaseStateOf(purchase: DuePurchase, genesisHash: string): PurchaseState {
  const sameChain = purchase.genesisHash === genesisHash
  if (purchase.status !== 'held' && !sameChain) return 'earlierChain'
  switch (purchase.status) {
    case 'held':
      // Restarting the local chain causes no cooldowns.
      if (!sameChain) return 'chainGone'
      if (purchase.coSigned) return 'reserved'
      return purchase.windowClosed ? 'windowClosed' : 'windowOpen'
    case 'settled':
      return purchase.finalizedAt === null ? 'awaitingFinality' : 'finalized'
    case 'ended':
      return 'ended'
  }
}

/** What each state reads and decides. */
const decisions: Record<PurchaseState, (snapshot: PurchaseSnapshot) => PurchaseDecision> = {
  chainGone: () => ({ actions: [{ kind: 'endHold', because: 'chainGone' }], nextSeconds: null }),
  reserved: followReservation,
  windowOpen: (snapshot) => ({ actions: [...pushPayment(snapshot), ...actOnCandidates(snapshot)], nextSeconds: holdSeconds(snapshot) }),
  windowClosed: (snapshot) => ({
    actions: [...pushPayment(snapshot), ...actOnCandidates(snapshot), ...releaseHold(snapshot)],
    nextSeconds: holdSeconds(snapshot),
  }),
  awaitingFinality: followFinality,
  finalized: (snapshot) => ({ actions: actOnCandidates(snapshot), nextSeconds: lateSeconds(snapshot) }),
  ended: (snapshot) => ({ actions: actOnCandidates(snapshot), nextSeconds: lateSeconds(snapshot) }),
  earlierChain: () => ({ actions: [], nextSeconds: null }),
}

/** Decides what to do about a purchase, from one snapshot alone. */
export function decidePurchase(snapshot: PurchaseSnapshot): PurchaseDecision {
  return decisions[snapshot.state](snapshot)
}

/** Whether the chain has shown that the payment counts, or is about to. */
export function hasLanded(status: SignatureStatus | undefined): status is SignatureStatus {
  return status !== undefined && !status.failed
}

/** A recorded payment that is not on the chain after a while is broadcast again; one that failed for good makes room for another. */
function pushPayment({ purchase, payment, status }: PurchaseSnapshot): PurchaseAction[] {
  if (!payment) return []
  if (!status) return rebroadcasts(purchase, payment) ? [{ kind: 'broadcast', payment }] : []
  return status.failed && status.commitment === 'finalized' ? [{ kind: 'voidPayment', payment }] : []
}

function actOnCandidates({ candidates }: PurchaseSnapshot): PurchaseAction[] {
  return candidates.flatMap((candidate): PurchaseAction[] => {
    const { verdict } = candidate
    if (isUndecided(candidate)) return verdict.kind === 'pending' && verdict.landedAt === undefined ? [] : [{ kind: 'settle', candidate }]
    if (verdict.kind === 'wrong') return [{ kind: 'settle', candidate }]
    return isPermanent(candidate) && candidate.status?.commitment === 'finalized' ? [{ kind: 'ruleOut', candidate }] : []
  })
}

/**
 * Ends a hold only on proof: nothing signed in time can land any more, and the finalized chain shows no payment. Until then, saves the
 * progress of the search, and whether such a proof is possible at all.
 */
function releaseHold(snapshot: PurchaseSnapshot): PurchaseAction[] {
  const { purchase, heldAtSlot, releaseHeight, finalizedSearched, candidates, allRead } = snapshot
  if (heldAtSlot !== undefined) return lowerHeldAtSlot(snapshot)
  if (releaseHeight !== undefined) return [{ kind: 'setReleaseHeight', height: releaseHeight }]
  if (purchase.releaseHeight === null) return []
  if (finalizedSearched && allRead && !candidates.some(isUndecided)) return [{ kind: 'endHold', because: 'unpaid' }]
  return saveProgress(snapshot)
}

/** Keeps how far the search for proof has come, and whether such a proof is possible at all. */
function saveProgress({ purchase, searches, unprovable }: PurchaseSnapshot): PurchaseAction[] {
  const isNews = unprovable !== undefined && unprovable !== (purchase.unprovableAt !== null)
  return [
    ...(searches.length > 0 ? [{ kind: 'saveSearches' as const, searches }] : []),
    ...(isNews ? [{ kind: 'markUnprovable' as const, unprovable }] : []),
  ]
}

/**
 * A reservation ends unpaid only on proof: the chain refused its bytes for good, or they can no longer land, nor another copy of them.
 * Where no endpoint can show whether a copy has landed, the studio ends it.
 */
function followReservation(snapshot: PurchaseSnapshot): PurchaseDecision {
  const { purchase, payment, status, paymentExpired, candidates, unfunded, unprovable } = snapshot
  // It was leased as reserved, and has ended since: a reservation always has the bytes that pay for it.
  if (!payment) return { actions: [], nextSeconds: SENT_SECONDS }
  const decide = (...actions: PurchaseAction[]) => ({
    actions: [...lowerExpiry(snapshot), ...actions, ...actOnCandidates(snapshot)],
    nextSeconds: unprovable ? UNPROVABLE_SECONDS : SENT_SECONDS,
  })
  if (status?.failed && status.commitment === 'finalized') return decide({ kind: 'endHold', because: 'failed' })
  if (paymentExpired && !candidates.some(isUndecided))
    return decide({ kind: 'endHold', because: status?.failed ? 'failed' : 'unpaid', unfunded })
  if (unprovable !== undefined) return decide(...saveProgress(snapshot))
  const noted: PurchaseAction[] = unfunded ? [{ kind: 'noteUnfunded' }] : []
  return status || !rebroadcasts(purchase, payment) ? decide(...noted) : decide(...noted, { kind: 'broadcast', payment })
}

/** Nothing stays locked, or unfollowed, because an endpoint has told a height that is too high. */
function lowerExpiry({ payment, expiryHeight }: PurchaseSnapshot): PurchaseAction[] {
  return payment && expiryHeight !== undefined ? [{ kind: 'lowerExpiryHeight', payment, height: expiryHeight }] : []
}

function lowerHeldAtSlot({ heldAtSlot }: PurchaseSnapshot): PurchaseAction[] {
  return heldAtSlot === undefined ? [] : [{ kind: 'lowerHeldAtSlot', slot: heldAtSlot }]
}

/** How long a delivered payment may look older than its purchase before that is left to an audit. */
const DOUBT_SECONDS = 15 * 60

/**
 * Whether a delivered payment that could be older than its purchase landed far below the slot in which that was placed. Then an endpoint has
 * told a slot far above the chain, which two of them show soon.
 */
export function landedFarBelow({ coSigned, heldAtSlot }: DuePurchase, { slot }: SignatureStatus): boolean {
  return !coSigned && heldAtSlot > slot + APART_SLOTS
}

/** After this, a delivered payment that is only confirmed is asked for again. */
const UNFINAL_SECONDS = 15 * 60

/** Whether a delivered payment has not become final for so long that one endpoint may have invented it. */
export function isLongUnfinal({ secondsSinceClosed }: DuePurchase, { commitment }: SignatureStatus): boolean {
  return commitment !== 'finalized' && secondsSinceClosed >= UNFINAL_SECONDS
}

function followFinality(snapshot: PurchaseSnapshot): PurchaseDecision {
  const { purchase, payment, status, paymentExpired, heldAtSlot } = snapshot
  if (!payment) throw new Error(`purchase ${purchase.id} is settled without a payment`)
  const again = finalitySeconds(purchase.secondsSinceClosed)
  if (hasLanded(status) && (status.commitment === 'finalized' || !paymentExpired)) {
    const isDoubtful = landedFarBelow(purchase, status) && heldAtSlot === undefined && purchase.secondsSinceClosed < DOUBT_SECONDS
    if (status.commitment !== 'finalized' || isDoubtful) return { actions: [], nextSeconds: again }
    return { actions: lowerHeldAtSlot(snapshot), finalized: true, nextSeconds: lateSeconds(snapshot) }
  }
  if (!paymentExpired) return { actions: [...lowerExpiry(snapshot), { kind: 'broadcast', payment }], nextSeconds: again }
  return replaceDropped(snapshot, payment)
}

/** A buyer may have signed the same message twice, or paid twice: that is no second payment then, but counts instead of the dropped one. */
function replaceDropped(snapshot: PurchaseSnapshot, payment: PaymentRow): PurchaseDecision {
  const { candidates, allRead, othersHadTime } = snapshot
  const paying = candidates.filter(({ verdict, paysAnotherHold }) => verdict.kind === 'pays' && !paysAnotherHold)
  const others = actOnCandidates({ ...snapshot, candidates: candidates.filter((candidate) => !paying.includes(candidate)) })
  const last = othersHadTime || (allRead && !candidates.some(({ verdict }) => verdict.kind === 'pending'))
  const nextSeconds = last ? lateSeconds(snapshot) : UNDECIDED_SECONDS
  if (paying.length > 0) {
    const referencedFirst = paying.toSorted((a, b) => Number(isReferenced(b)) - Number(isReferenced(a)))
    return {
      actions: [{ kind: 'replacePayment', payment, candidates: referencedFirst, last: othersHadTime }, ...others],
      nextSeconds: othersHadTime ? nextSeconds : UNDECIDED_SECONDS,
    }
  }
  return { actions: last ? [{ kind: 'openVanishedCase', payment }, ...others] : others, nextSeconds }
}

function isReferenced({ verdict }: VerifiedCandidate): boolean {
  return verdict.kind === 'pays' && verdict.referenced
}

/** It pays, or may turn out to pay. */
export function isUndecided({ verdict }: VerifiedCandidate): boolean {
  return verdict.kind === 'pays' || verdict.kind === 'pending'
}

/** Its verdict stays the same, whatever the chain will show. A candidate that pays is settled instead. */
export function isPermanent({ verdict }: VerifiedCandidate): boolean {
  return verdict.kind === 'failed' || verdict.kind === 'wrong' || (verdict.kind === 'unrelated' && verdict.permanent)
}

function holdSeconds({ payment, purchase, searches, unprovable, allRead, waitsForProof }: PurchaseSnapshot): number {
  if (unprovable) return UNPROVABLE_SECONDS
  if (!allRead || waitsForProof) return Math.min(UNREAD_SECONDS, searchSeconds(purchase))
  return payment || searches.length > 0 ? SENT_SECONDS : searchSeconds(purchase)
}

function lateSeconds({ purchase, candidates, allRead }: PurchaseSnapshot): number | null {
  // Nobody but the market can have sent a second payment.
  if (purchase.coSigned && purchase.status === 'settled') return null
  const seconds = secondsToNextLateSearch(purchase.secondsSinceClosed, purchase)
  // The last search goes on until it has read everything: what is left may hide a payment.
  if (!allRead) return Math.min(seconds ?? UNDECIDED_SECONDS, UNDECIDED_SECONDS)
  const undecided = candidates.some(({ verdict }) => verdict.kind === 'pending')
  return seconds !== null && undecided ? Math.min(seconds, UNDECIDED_SECONDS) : seconds
}
