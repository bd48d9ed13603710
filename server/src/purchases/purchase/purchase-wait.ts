import { type PurchaseRow } from './purchase-store.ts'

/** What a purchase is waiting for, and since when. */
export interface Wait {
  /** In words for the operator: "it waits for …". */
  waitingFor: string
  since: Date
  /** A wait of this many seconds is normal; undefined if no wait is. */
  usualSeconds: number | undefined
}

/** A payment lands within seconds, and is finalized some 13 s later. */
const LANDING_SECONDS = 30
const FINALITY_SECONDS = 60
/** 150 blocks must pass, and be final. */
const PROOF_SECONDS = 180

export interface WaitState {
  now: Date
  /** When the payment window closes. */
  payUntil: Date
  /** The recorded payment of a hold. */
  payment: { createdAt: Date; confirmedAt: Date | null } | undefined
}

/** @returns undefined for a purchase that is no longer waiting */
export function waitOf(purchase: PurchaseRow, state: WaitState): Wait | undefined {
  const { status, settledAt, finalizedAt } = purchase
  if (status === 'held') return waitOfHold(purchase, state)
  if (status !== 'settled' || settledAt === null || finalizedAt !== null) return undefined
  return { waitingFor: 'its payment to be finalized', since: settledAt, usualSeconds: FINALITY_SECONDS }
}

function waitOfHold({ createdAt, unprovableAt }: PurchaseRow, { now, payUntil, payment }: WaitState): Wait {
  if (unprovableAt !== null) return { waitingFor: 'the studio to release it', since: unprovableAt, usualSeconds: 1 }
  if (payment && payment.confirmedAt !== null) {
    return { waitingFor: 'its landed payment to be final', since: payment.confirmedAt, usualSeconds: FINALITY_SECONDS }
  }
  if (payment) return { waitingFor: 'its payment to land on the chain', since: payment.createdAt, usualSeconds: LANDING_SECONDS }
  if (payUntil > now) return { waitingFor: 'its buyer to pay', since: createdAt, usualSeconds: undefined }
  return { waitingFor: 'the chain to prove that nobody paid', since: payUntil, usualSeconds: PROOF_SECONDS }
}

/** The fields of every log line about a purchase. */
export function purchaseFields({ id, buyer }: { id: string | null; buyer: string }, wait: { waitingFor: string | null } | undefined) {
  return { purchase: id, buyer, waitingFor: wait?.waitingFor ?? null }
}

/** A long wait is logged again when it is ten times as long. */
const AGAIN = 10

/**
 * Whether a wait has become worth logging since the purchase was last reconciled, so that it is logged once, by whichever server.
 * @param now when the purchase is reconciled; `last` when it was before, null if never.
 * @returns the length of the wait in seconds; undefined if there is nothing to log.
 */
export function longWaitSeconds({ since, usualSeconds }: Wait, { now, last }: { now: Date; last: Date | null }): number | undefined {
  if (usualSeconds === undefined) return undefined
  const secondsAt = (time: Date) => (time.getTime() - since.getTime()) / 1000
  const seconds = secondsAt(now)
  if (seconds < usualSeconds) return undefined
  let told = usualSeconds
  while (told * AGAIN <= seconds) told *= AGAIN
  return last === null || secondsAt(last) < told ? Math.round(seconds) : undefined
}
