interface Entry<T> {
  answer: Promise<T>
  expiresAt: number
}

/** Answers kept for a short time: equal questions meanwhile share one answer, also while it is still under way. Failures are not kept. */
export class AnswerCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #now: () => number
  readonly #maxEntries: number

  /** `now` gives monotonic milliseconds. The oldest entry makes room where there would be more than `maxEntries`. */
  constructor(now: () => number, maxEntries: number) {
    this.#now = now
    this.#maxEntries = maxEntries
  }

  /** The kept answer, or a new one that is then kept for `lifeMillis`. Life is counted from the question, so no answer is older. */
  get(key: string, lifeMillis: number, ask: () => Promise<T>): Promise<T> {
    const kept = this.#entries.get(key)
    if (kept && kept.expiresAt > this.#now()) return kept.answer
    return this.renew(key, lifeMillis, ask)
  }

  /** Asks anew, whatever is kept. */
  renew(key: string, lifeMillis: number, ask: () => Promise<T>): Promise<T> {
    const entry = { answer: ask(), expiresAt: this.#now() + lifeMillis }
    this.#entries.delete(key)
    this.#makeRoom()
    this.#entries.set(key, entry)
    entry.answer.catch(() => this.#forgetEntry(key, entry))
    return entry.answer
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  #makeRoom(): void {
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= this.#maxEntries) this.#entries.delete(oldest)
  }

  #forgetEntry(key: string, entry: Entry<T>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }
}
