/** How long a slot takes on Solana's clusters. */
export const SLOT_MILLIS = 400

/** An endpoint that allows so many requests a second is on this machine and as good as unlimited: nothing is put off to spare it. */
const UNLIMITED_PER_SECOND = 1000

/**
 * How often something is read that many ask for alike, so that it takes a fixed share of the budget, however many ask.
 *
 * @param share the part of the budget, between 0 and 1.
 * @returns the least milliseconds between two requests: at least `leastMillis`, but 0 if the budget is as good as unlimited.
 */
export function paceMillis(perSecond: number, { share, leastMillis }: { share: number; leastMillis: number }): number {
  return perSecond >= UNLIMITED_PER_SECOND ? 0 : Math.max(leastMillis, 1000 / (share * perSecond))
}
