/** How long a slot takes on Solana's clusters. */
export const SLOT_MILLIS = 400

/** An endpoint that allows this many requests per second is on this machine and practically unlimited: no reads are delayed to spare it. */
const UNLIMITED_PER_SECOND = 1000

/**
 * How often to read something that many callers share, so that it takes a fixed share of the budget, however many ask.
 *
 * @param share the part of the budget, between 0 and 1.
 * @returns the minimum milliseconds between two requests: at least `leastMillis`, but 0 if the budget is practically unlimited.
 */
export function paceMillis(perSecond: number, { share, leastMillis }: { share: number; leastMillis: number }): number {
  return perSecond >= UNLIMITED_PER_SECOND ? 0 : Math.max(leastMillis, 1000 / (share * perSecond))
}
