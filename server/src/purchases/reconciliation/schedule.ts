const SHORTEST_PAUSE_MILLIS = 50
const IDLE_PAUSE_MILLIS = 400
const CROWDED_PAUSE_MILLIS = 2_000

/** What a round of looks showed. */
export interface RoundState {
  /** All that might be taken up was, so more may be due. */
  more: boolean
  /** Requests to the chain wait for their turn. */
  crowded: boolean
}

/** The pause after a round; short where more may be due, long where the chain's endpoints allow no more: others need their share. */
export function pauseMillis({ more, crowded }: RoundState): number {
  if (crowded) return CROWDED_PAUSE_MILLIS
  return more ? SHORTEST_PAUSE_MILLIS : IDLE_PAUSE_MILLIS
}

/**
 * What is taken up in one round, and for how long: a killed node's are taken up by another after that. What is open goes first; what is
 * over has its own small share, so that neither can keep the other waiting.
 */
export const OPEN_CLAIMS = { least: 8, most: 64 }
export const OVER_CLAIMS = 2
export const CASE_CLAIMS = 4
export const LEASE_SECONDS = 8

/**
 * How many open ones the next round takes up: half as many where the chain's endpoints allow no more, else twice as many while more may
 * be due. Answers that only take long are no reason for less: looks wait for them side by side.
 */
export function nextOpenClaims(claims: number, { more, crowded }: RoundState): number {
  if (crowded) return Math.max(OPEN_CLAIMS.least, claims / 2)
  return more ? Math.min(OPEN_CLAIMS.most, claims * 2) : claims
}

/** Holds that are proved unpaid in one round: each proof takes about ten calls to the chain. */
export const PROOFS_A_ROUND = 2

/** Bytes that the server sends itself are looked after often; for a wallet's own payment the chain is searched. */
export const SENT_LOOK_SECONDS = 1
export const SEARCH_LOOK_SECONDS = 2
/** While bytes are under way the chain is still searched now and then: the buyer may have sent others past the server. */
export const SEARCH_EVERY = 5
/** A settled payment is followed until it is final. */
export const FINALITY_LOOK_SECONDS = 4
/** While the chain gives no answer. */
export const CHAIN_DOWN_SECONDS = 3
/** A payment that is not final yet, or was not read yet, of a purchase that is over. */
export const UNDECIDED_LOOK_SECONDS = 10
/** So long after a delivery an equal transfer that names nothing is taken for a second payment; later it may be anything. */
export const PLAIN_DOUBLE_SECONDS = 600
/** A page that is opened asks for a look at most this often. */
export const ASKED_LOOK_PAUSE_SECONDS = 30

/** Most look-ups of a buyer's own transactions a hold: they are only needed for clients that name no reference. */
export const BUYER_LOOKS = 20
/** A hold lasts this much longer than its time to pay until the chain has proved that no payment comes: 150 blocks, and their finality. */
const RELEASE_SECONDS = 90

/** Whether a look at a hold also reads the buyer's own transactions: the look-ups are spread over all of its life. */
export function looksAtBuyer({ ageSeconds, buyerScans }: { ageSeconds: number; buyerScans: number }, holdSeconds: number): boolean {
  const pause = (holdSeconds + RELEASE_SECONDS) / BUYER_LOOKS
  return buyerScans < BUYER_LOOKS && ageSeconds >= (buyerScans + 1) * pause
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
