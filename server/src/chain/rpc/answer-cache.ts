import { LRUCache } from 'lru-cache'

interface Entry<T> {
  answer: Promise<T>
  expiresAt: number
}

/**
 * Keeps answers for a short time. Callers with the same key share one request, also while it is in flight. Failures are not kept. The times
 * are not left to the library, for which 0 means for ever.
 */
export class AnswerCache<T> {
  readonly #entries: LRUCache<string, Entry<T>>
  readonly #now: () => number

  /** `now` returns monotonic milliseconds. Beyond `maxEntries` the entry that was not used for longest is dropped. */
  constructor(now: () => number, maxEntries: number) {
    this.#entries = new LRUCache({ max: maxEntries })
    this.#now = now
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

  #deleteEntry(key: string, entry: Entry<T>): void {
    if (this.#entries.peek(key) === entry) this.#entries.delete(key)
  }
}
