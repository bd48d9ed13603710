/** The part of the chain's budget that may go into reading transactions that anybody can make. */
const SHARE = 0.2
/** An endpoint that allows this many requests a second is on this machine, and is not spared. */
const UNLIMITED_PER_SECOND = 1_000
/** Read of one purchase or refund at once; from then on, one a second. */
const AT_ONCE = 16
const PAUSE_MILLIS = 1_000
/** How long a read may wait for its turn: the first of a purchase longer than the others, so that no flood keeps it out. */
const PATIENCE_MILLIS = { first: 4_000, others: 2_000 }

/** Gives turns to read transactions that may be payments or refunds. It takes no time itself: callers wait, and tell it the time. */
export class CandidateBudget {
  /** When the next read may start. */
  #nextAt = Number.NEGATIVE_INFINITY
  /** For each purchase or refund: when it has all its reads again. */
  readonly #restedAt = new Map<string, number>()

  /**
   * Takes a turn to read a transaction.
   *
   * @param subject the purchase or the case
   * @param perSecond what the chain's endpoints allow
   * @param now monotonic milliseconds
   * @returns the milliseconds until that turn; undefined if there is none soon: try again later
   */
  take(subject: string, perSecond: number, now: number): number | undefined {
    if (perSecond >= UNLIMITED_PER_SECOND) return 0
    const restedAt = Math.max(this.#restedAt.get(subject) ?? now, now)
    const isFirst = restedAt === now
    const startsAt = Math.max(this.#nextAt, now)
    if (startsAt - now > (isFirst ? PATIENCE_MILLIS.first : PATIENCE_MILLIS.others)) return undefined
    if (restedAt - now > (AT_ONCE - 1) * PAUSE_MILLIS) return undefined
    this.#forgetRested(now)
    this.#restedAt.set(subject, restedAt + PAUSE_MILLIS)
    this.#nextAt = startsAt + 1_000 / (SHARE * perSecond)
    return startsAt - now
  }

  #forgetRested(now: number): void {
    for (const [subject, restedAt] of this.#restedAt) if (restedAt <= now) this.#restedAt.delete(subject)
  }
}
