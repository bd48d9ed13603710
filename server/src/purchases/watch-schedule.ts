/** How often a node asks for purchases that are due. */
export const TICK_MILLIS = 400
/** Purchases taken up at a time, and for how long: a killed node's are taken up by another after that. */
export const CLAIMS = 32
export const LEASE_SECONDS = 8

/** An open hold whose payment is under way, or may be. */
export const HOLD_LOOK_SECONDS = 1
/** A settled payment is followed until it is final. */
export const FINALITY_LOOK_SECONDS = 4
/** While the chain gives no answer. */
export const CHAIN_DOWN_SECONDS = 3

/** Most look-ups of a buyer's own transactions a hold: they are only needed for clients that name no reference. */
export const BUYER_LOOKS = 20
const BUYER_LOOK_EVERY = 4

/** Whether this look at a hold also reads the buyer's own transactions. */
export function looksAtBuyer(looks: number, buyerLooks: number): boolean {
  return buyerLooks < BUYER_LOOKS && looks % BUYER_LOOK_EVERY === BUYER_LOOK_EVERY - 1
}

const MINUTE = 60
const HOUR = 60 * MINUTE
/** After a hold ended it is looked up again at these ages, for payments that come late. */
const endedLooks = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 24 * HOUR, 7 * 24 * HOUR]

/** Seconds until the next look at an ended hold that was looked at `looks` times before this one; null after the last. */
export function secondsToNextEndedLook(looks: number): number | null {
  const [age, next] = endedLooks.slice(looks)
  return age === undefined || next === undefined ? null : next - age
}
