/** How often a node asks for purchases that are due. */
export const TICK_MILLIS = 400
/** Purchases taken up at a time, and for how long: a killed node's are taken up by another after that. */
export const CLAIMS = 32
export const LEASE_SECONDS = 8

/** Bytes that the server sends itself are looked after often; for a wallet's own payment the chain is searched. */
export const SENT_LOOK_SECONDS = 1
export const SEARCH_LOOK_SECONDS = 2
/** While bytes are under way the chain is still searched now and then: the buyer may have sent others past the server. */
export const SEARCH_EVERY = 5
/** A settled payment is followed until it is final. */
export const FINALITY_LOOK_SECONDS = 4
/** While the chain gives no answer. */
export const CHAIN_DOWN_SECONDS = 3
/** A page that is opened asks for a look at most this often. */
export const ASKED_LOOK_PAUSE_SECONDS = 30

/** Most look-ups of a buyer's own transactions a hold: they are only needed for clients that name no reference. */
export const BUYER_LOOKS = 20
const BUYER_LOOK_EVERY = 3

/** Whether this look at a hold also reads the buyer's own transactions. */
export function looksAtBuyer(looks: number, buyerLooks: number): boolean {
  return buyerLooks < BUYER_LOOKS && looks % BUYER_LOOK_EVERY === BUYER_LOOK_EVERY - 1
}

const MINUTE = 60
const HOUR = 60 * MINUTE
/** A purchase that is over is looked up again at these ages, for payments that come late or twice. */
const lateLooks = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 24 * HOUR, 7 * 24 * HOUR]

/** Seconds until the next look at a purchase that was settled or ended so long ago; null after the last. */
export function secondsToNextLateLook(secondsSinceEnd: number): number | null {
  const next = lateLooks.find((age) => age > secondsSinceEnd + 1)
  return next === undefined ? null : next - secondsSinceEnd
}
