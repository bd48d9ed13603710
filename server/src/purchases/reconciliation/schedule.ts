const SHORTEST_PAUSE_MILLIS = 50
const IDLE_PAUSE_MILLIS = 400
const SATURATED_PAUSE_MILLIS = 2_000

/** What a round of reconciliation showed. */
export interface RoundState {
  /** Everything that could be leased was, so more may be due. */
  more: boolean
  /** Requests to the chain are queueing at every endpoint. */
  saturated: boolean
}

/** The pause after a round: short if more may be due, long if the chain's endpoints allow no more, because others need their share. */
export function pauseMillis({ more, saturated }: RoundState): number {
  if (saturated) return SATURATED_PAUSE_MILLIS
  return more ? SHORTEST_PAUSE_MILLIS : IDLE_PAUSE_MILLIS
}

/**
 * How much one round leases, and for how long: if a server is killed, another leases its share after that. Open purchases go first;
 * closed ones and cases have small shares of their own, so that none of them keeps the others waiting.
 */
export const OPEN_LEASES = { least: 8, most: 64 }
export const CLOSED_LEASES = 2
export const CASE_LEASES = 4
export const LEASE_SECONDS = 8

/**
 * How many open purchases the next round leases: half as many if the chain's endpoints allow no more, otherwise twice as many while
 * more may be due. Slow answers alone are no reason for fewer: requests wait for them side by side.
 */
export function nextOpenLeases(leases: number, { more, saturated }: RoundState): number {
  if (saturated) return Math.max(OPEN_LEASES.least, leases / 2)
  return more ? Math.min(OPEN_LEASES.most, leases * 2) : leases
}

/** Holds that one round may prove unpaid: each proof takes about ten requests. */
export const PROOFS_PER_ROUND = 2

/** Seconds until a hold is reconciled again: often while its recorded payment is under way, less often while the chain is searched. */
export const SENT_SECONDS = 1
export const SEARCH_SECONDS = 2
/** Until a settled payment is asked about again while it is not finalized. */
export const FINALITY_SECONDS = 4
/** Until whatever failed is tried again, mostly because the chain cannot be asked. */
export const RETRY_SECONDS = 3
/** Until a closed purchase with a candidate that is not final yet, or was not read yet, is searched again. */
export const UNDECIDED_SECONDS = 10
/** Until a case with a refund that may be under way is reconciled again. */
export const REFUND_SECONDS = 2
/** Until a late payment is tried again whose listing is held by someone else. */
export const DELIVERY_SECONDS = 15
/** For so long after a delivery, an equal transfer without a reference counts as a second payment; later it may be anything. */
export const UNREFERENCED_DOUBLE_SECONDS = 600
/** Opening a list in the web app makes its entries due, but at most this often. */
export const REQUESTED_PAUSE_SECONDS = 30

/** Even while a recorded payment is under way, the chain is searched now and then: the buyer may have sent another past the server. */
const SEARCH_EVERY = 5

/** Whether this reconciliation of a hold searches the chain. */
export function searchesChain(hold: { windowClosed: boolean; reconciliations: number }, paymentRecorded: boolean): boolean {
  return !paymentRecorded || hold.windowClosed || hold.reconciliations % SEARCH_EVERY === SEARCH_EVERY - 1
}

/** How often the buyer's own transactions are searched for a hold: only clients that add no reference need it. */
export const BUYER_SCANS = 20
/** A hold outlives its payment window by this much until the chain has proved that no payment came: 150 blocks and their finality. */
const RELEASE_SECONDS = 90

/** Whether reconciling a hold also searches the buyer's own transactions: the scans are spread over the hold's whole life. */
export function scansBuyer({ ageSeconds, buyerScans }: { ageSeconds: number; buyerScans: number }, holdSeconds: number): boolean {
  const pause = (holdSeconds + RELEASE_SECONDS) / BUYER_SCANS
  return buyerScans < BUYER_SCANS && ageSeconds >= (buyerScans + 1) * pause
}

const MINUTE = 60
const HOUR = 60 * MINUTE
/** A closed purchase is searched again at these ages, for payments that come late or twice. */
const lateSearches = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 24 * HOUR, 7 * 24 * HOUR]

/** Seconds until the next search for a purchase that closed this long ago; null after the last. */
export function secondsToNextLateSearch(secondsSinceClosed: number): number | null {
  const next = lateSearches.find((age) => age > secondsSinceClosed + 1)
  return next === undefined ? null : next - secondsSinceClosed
}
