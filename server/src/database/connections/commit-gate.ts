/** A finding that is not repeated within this time no longer counts: perhaps only the check itself is failing. */
const HOLDS_MILLIS = 5_000

/**
 * Closed while commits wait for a standby: callers that want a connection are refused before anything is changed. Otherwise each would take
 * a connection and keep it, and once commits are confirmed again, new calls would wait behind all those that had arrived in the meantime.
 */
export class CommitGate {
  readonly #waiting = new Set<(error: Error) => void>()
  #closed: { error: Error; until: number } | undefined

  open(): void {
    this.#closed = undefined
  }

  /** Refuses those who wait for a connection, too. */
  close(error: Error): void {
    this.#closed = { error, until: performance.now() + HOLDS_MILLIS }
    for (const refuse of this.#waiting) refuse(error)
  }

  /** @throws what it was closed with */
  requireOpen(): void {
    if (this.#closed && performance.now() < this.#closed.until) throw this.#closed.error
  }

  /**
   * Waits for a connection.
   * @param giveBack takes a connection that arrives after the gate was closed
   * @throws the error that the gate was closed with in the meantime
   */
  async pass<Connection>(connecting: Promise<Connection>, giveBack: (connection: Connection) => void): Promise<Connection> {
    let refuse: (error: Error) => void = () => undefined
    const refused = new Promise<never>((_, reject) => (refuse = reject))
    this.#waiting.add(refuse)
    try {
      return await Promise.race([connecting, refused])
    } catch (error) {
      connecting.then(giveBack, () => undefined)
      throw error
    } finally {
      this.#waiting.delete(refuse)
    }
  }
}
