import { type EndReason } from '@juicebar/contract/schemas'
import { type BuyOrder } from '../reservation/order.ts'
import { type PurchaseRow } from '../purchase/purchase-store.ts'

export interface HoldOrder extends Omit<BuyOrder, 'kind' | 'fee' | 'payment' | 'funds'> {
  /** The payment link that the buyer's wallet uses: nothing proves that the request comes from the buyer. */
  payLink?: string | undefined
}

/** The facts that decide how an open hold ends. */
export interface HoldState {
  cancelRequested: boolean
  windowClosed: boolean
  /** Signed bytes are recorded for the hold. */
  paymentRecorded: boolean
}

/** The reason to end a hold once the chain has proved that no payment has landed and none can. */
export function endsUnpaid(hold: HoldState): EndReason | undefined {
  if (!hold.windowClosed) return undefined
  if (hold.paymentRecorded) return 'expired'
  return hold.cancelRequested ? 'cancelled' : 'lapsed'
}

/** Whether nothing signed within the payment window can still land: the finalized chain is above the release height. */
export function isBeyondRelease(
  finalized: { genesisHash: string; height: bigint },
  { genesisHash, releaseHeight }: Pick<PurchaseRow, 'genesisHash' | 'releaseHeight'>,
): boolean {
  return finalized.genesisHash === genesisHash && releaseHeight !== null && finalized.height > releaseHeight
}

/** The facts that decide whether the studio may release a hold. */
export interface ReleaseState {
  status: PurchaseRow['status']
  /** Nothing signed within the payment window can still land. */
  beyondRelease: boolean
  /** No bytes are recorded, or the recorded ones are proved expired. */
  recordedExpired: boolean
  /** Every endpoint has shown that it can never prove that no payment landed. */
  unprovable: boolean
}

/**
 * Whether a person may end a hold that cannot be proved unpaid: only if no payment can still land and no endpoint can ever prove that none
 * has landed.
 * @returns why not, in words for the studio; undefined if they may.
 */
export function releaseObjection({ status, beyondRelease, recordedExpired, unprovable }: ReleaseState): string | undefined {
  if (status !== 'held') return 'it is not held any more.'
  if (!beyondRelease) return 'a payment that was signed in time may still land.'
  if (!recordedExpired) return 'the payment that was submitted for it may still land, or has landed.'
  if (!unprovable) return 'the chain may still prove whether it was paid. The market keeps asking every endpoint.'
  return undefined
}

/**
 * The demand for the chain budget, in seconds of its whole rate. An admitted purchase reserves what it will cost, so reservations run ahead
 * of the clock while more purchases are admitted than the budget can pay for.
 */
export interface Reservations {
  /** The time up to which the budget is reserved for admitted purchases. */
  reservedUntil: number
  /** The time up to which it is promised, including to buyers who were told to come back. */
  promisedUntil: number
}

export interface Demand {
  /** Monotonic, in seconds. */
  now: number
  /** Requests a second that the chain's endpoints allow. */
  perSecond: number
  /** Seconds until a request of a new hold would have its turn: more than one if others wait. */
  backlogSeconds: number
  /** Requests that the purchase will cost. */
  requests: number
}

export type Admission = { kind: 'admitted'; reservations: Reservations } | { kind: 'busy'; retryAfter: number; reservations: Reservations }

export const noReservations: Reservations = { reservedUntil: 0, promisedUntil: 0 }

/** How far ahead reservations may run: if all holders paid at once, the last of them would wait this long. */
const LONGEST_AHEAD_SECONDS = 5
/** Others are already waiting for longer than it takes a full second's permits to return. */
const LONGEST_BACKLOG_SECONDS = 2
const LONGEST_RETRY_SECONDS = 60

/**
 * Decides whether one more purchase may begin. Buyers who hold or have paid have reserved their requests; a new hold that would make them
 * wait is refused before it costs anything.
 */
export function decideAdmission(reservations: Reservations, { now, perSecond, backlogSeconds, requests }: Demand): Admission {
  const seconds = requests / perSecond
  const reservedUntil = Math.max(reservations.reservedUntil, now) + seconds
  if (reservedUntil - now <= Math.max(LONGEST_AHEAD_SECONDS, seconds) && backlogSeconds <= LONGEST_BACKLOG_SECONDS) {
    return { kind: 'admitted', reservations: { ...reservations, reservedUntil } }
  }
  const promisedUntil = Math.max(reservations.promisedUntil, reservedUntil - seconds) + seconds
  const wait = Math.max(promisedUntil - now - LONGEST_AHEAD_SECONDS, backlogSeconds - LONGEST_BACKLOG_SECONDS)
  const retryAfter = Math.min(LONGEST_RETRY_SECONDS, Math.max(1, Math.ceil(wait)))
  return { kind: 'busy', retryAfter, reservations: { ...reservations, promisedUntil } }
}

/** Cancels the reservation of a purchase that was not begun after all. */
export function returnReservation(
  reservations: Reservations,
  { perSecond, requests }: Pick<Demand, 'perSecond' | 'requests'>,
): Reservations {
  return { ...reservations, reservedUntil: reservations.reservedUntil - requests / perSecond }
}
