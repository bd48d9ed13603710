interface Entry<T> {
  answer: Promise<T>
  expiresAt: number
}

/** Keeps answers for a short time. Callers with the same key share one request, also while it is in flight. Failures are not kept. */
export class AnswerCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #now: () => number
  readonly #maxEntries: number

  /** `now` returns monotonic milliseconds. Beyond `maxEntries` the oldest entry is dropped. */
  constructor(now: () => number, maxEntries: number) {
    this.#now = now
    this.#maxEntries = maxEntries
  }

  /** The cached answer, or that of `ask`, kept for `ttlMillis` from the moment it is asked: no answer is older than that. */
  get(key: string, ttlMillis: number, ask: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key)
    if (entry && entry.expiresAt > this.#now()) return entry.answer
    return this.refresh(key, ttlMillis, ask)
  }

  /** The answer of `ask`, ignoring the cache; kept as in `get`. */
  refresh(key: string, ttlMillis: number, ask: () => Promise<T>): Promise<T> {
    const entry = { answer: ask(), expiresAt: this.#now() + ttlMillis }
    this.#entries.delete(key)
    this.#makeRoom()
    this.#entries.set(key, entry)
    entry.answer.catch(() => this.#deleteEntry(key, entry))
    return entry.answer
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  #makeRoom(): void {
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= this.#maxEntries) this.#entries.delete(oldest)
  }

  #deleteEntry(key: string, entry: Entry<T>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }
}
