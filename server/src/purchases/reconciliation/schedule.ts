const SHORTEST_PAUSE_MILLIS = 50
const IDLE_PAUSE_MILLIS = 400

/** The pause after a round: short if more paid purchases may be due. */
export function pauseMillis({ more }: { more: boolean }): number {
  return more ? SHORTEST_PAUSE_MILLIS : IDLE_PAUSE_MILLIS
}

/** If a server is killed, another one leases its share after this time. */
export const LEASE_SECONDS = 8

/** As many as one request for statuses takes. */
const PAID_LEASES = 256
const MOST_LEASES = 64
/** The part of the budget that searches may take while requests are waiting. */
const SATURATED_SHARE = 0.3
/** The part of the budget that late searches may take. */
const SPARE_SHARE = 0.3
/** The part of the budget that cases may take: anybody can pay something wrong, and prepare to have it paid back. */
const CASE_SHARE = 0.2

export interface BudgetState {
  /** Requests a second that the chain's endpoints allow. */
  perSecond: number
  /** Requests are waiting for their turn. */
  saturated: boolean
  /** The rest of the budget is not needed for anything else now. */
  spare: boolean
}

/** How many purchases of each kind, and cases, one round leases at most. */
export interface LeaseLimits {
  /** Paid, as far as this server knows: a payment is recorded, or delivered but not finalized yet. */
  paid: number
  /** Open holds for whose payment the chain is searched. */
  unpaid: number
  closed: number
  cases: number
}

/**
 * Leases paid purchases always, because their statuses are read together. Others as far as the budget allows, because each costs at least
 * one request: open holds first, closed purchases only with spare budget.
 */
export function leaseLimits({ perSecond, saturated, spare }: BudgetState): LeaseLimits {
  const perRound = (share: number) => Math.max(1, Math.min(MOST_LEASES, requestsPerRound(perSecond, share)))
  return {
    paid: PAID_LEASES,
    unpaid: perRound(saturated ? SATURATED_SHARE : 1),
    closed: spare ? perRound(SPARE_SHARE) : 0,
    cases: perRound(CASE_SHARE),
  }
}

function requestsPerRound(perSecond: number, share: number): number {
  return Math.floor((share * perSecond * IDLE_PAUSE_MILLIS) / 1000)
}

/** Of a proof that nothing was paid. */
const REQUESTS_OF_A_PROOF = 10
const LEAST_PROOFS = 2

/** Holds that one round may prove unpaid: as many as there are requests for, until the next round; fewer while others wait. */
export function proofsPerRound({ perSecond, saturated }: Pick<BudgetState, 'perSecond' | 'saturated'>): number {
  return Math.max(LEAST_PROOFS, Math.floor(requestsPerRound(perSecond, saturated ? SATURATED_SHARE : 1) / REQUESTS_OF_A_PROOF))
}

/** Seconds until a hold is reconciled again whose recorded payment is under way. */
export const SENT_SECONDS = 1
/** How long a payment normally takes to appear on the chain. */
const REBROADCAST_SECONDS = 2

/** Whether a recorded payment that is not on the chain is broadcast again now: an RPC node may have dropped it. Every other time. */
export function rebroadcasts({ reconciliations }: { reconciliations: number }, payment: { ageSeconds: number }): boolean {
  return payment.ageSeconds >= REBROADCAST_SECONDS && reconciliations % 2 === 0
}

const SEARCH_SECONDS = { least: 4, most: 15 }
const AFTER_WINDOW_SECONDS = 0.1

/**
 * Seconds until the chain is searched again for the payment of a hold, longer for an older hold: buyers whose wallets send usually tell the
 * server, and the search is for those who do not. It always happens at the end of the payment window, for the release height.
 */
export function searchSeconds({ ageSeconds, secondsToPay }: { ageSeconds: number; secondsToPay: number }): number {
  const pause = Math.min(SEARCH_SECONDS.most, Math.max(SEARCH_SECONDS.least, ageSeconds / 2))
  return secondsToPay > 0 ? Math.min(pause, secondsToPay + AFTER_WINDOW_SECONDS) : pause
}

/** Until a hold that only the studio can end is reconciled again: a payment may still be found, and an endpoint may be added. */
export const UNPROVABLE_SECONDS = 60

const FINALITY_SECONDS = { least: 4, most: 60 }

/** Seconds until the status of a payment that settled this long ago is requested again while it is not finalized. */
export function finalitySeconds(secondsSinceSettled: number): number {
  return Math.min(FINALITY_SECONDS.most, Math.max(FINALITY_SECONDS.least, secondsSinceSettled / 4))
}

/** Until a failed reconciliation is retried; most fail because the chain cannot be reached. */
export const RETRY_SECONDS = 3
/** Until an open hold is searched again that has candidates left to read. */
export const UNREAD_SECONDS = 4
/** Until a closed purchase is searched again that has a candidate which is not final or not read yet. */
export const UNDECIDED_SECONDS = 10
/** Until a case with a refund that may be under way is reconciled again. */
export const REFUND_SECONDS = 2
/** Until a late payment whose listing is held by someone else is tried again. */
export const DELIVERY_SECONDS = 15
/** For this long after a delivery, an equal transfer without a reference counts as a second payment; later, it may be for anything. */
export const UNREFERENCED_DOUBLE_SECONDS = 600
/** Opening a list in the web app makes its entries due, but at most this often. */
export const REQUESTED_PAUSE_SECONDS = 30

/** Even while a recorded payment is under way, the chain is searched now and then: the buyer may have sent another one directly. */
const SEARCH_EVERY = 5

/** Whether this reconciliation of a hold searches the chain. */
export function searchesChain({ reconciliations }: { reconciliations: number }, paymentRecorded: boolean): boolean {
  return !paymentRecorded || reconciliations % SEARCH_EVERY === SEARCH_EVERY - 1
}

/** The most searches of the buyer's own transactions for a hold: only clients that add no reference need them. */
export const BUYER_SCANS = 20
/** How long a hold outlives its payment window until the chain has proved that no payment landed: 150 blocks and their finality. */
const RELEASE_SECONDS = 90

/**
 * Whether reconciling a hold also searches the buyer's own transactions: the scans are spread over the hold's whole life, and are no
 * closer than searches by reference become, since each costs as much.
 */
export function scansBuyer({ ageSeconds, buyerScans }: { ageSeconds: number; buyerScans: number }, holdSeconds: number): boolean {
  const pause = Math.max(SEARCH_SECONDS.most, (holdSeconds + RELEASE_SECONDS) / BUYER_SCANS)
  return buyerScans < BUYER_SCANS && ageSeconds >= (buyerScans + 1) * pause
}

const MINUTE = 60
const HOUR = 60 * MINUTE
/** A closed purchase is searched again at these ages, for late and second payments. */
const lateSearches = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 24 * HOUR, 7 * 24 * HOUR]
/**
 * The same for one whose payment only this server would have sent: nothing else was signed for it, unless the buyer's client misbehaves.
 */
const lateSearchesIfServerSends = [5 * MINUTE, 24 * HOUR]

/** Seconds until the next search for a purchase that closed this long ago; null after the last. */
export function secondsToNextLateSearch(secondsSinceClosed: number, { serverSends }: { serverSends: boolean }): number | null {
  const ages = serverSends ? lateSearchesIfServerSends : lateSearches
  const next = ages.find((age) => age > secondsSinceClosed + 1)
  return next === undefined ? null : next - secondsSinceClosed
}
