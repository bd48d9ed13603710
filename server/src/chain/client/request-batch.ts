import { setTimeout as delay } from 'node:timers/promises'

interface Batch<K, V> {
  keys: Set<K>
  answer: Promise<ReadonlyMap<K, V>>
}

/**
 * Batches the questions of many callers: whoever asks while a request is in flight, or during the pause after it was sent, is in the next
 * one. So no answer is older than its question, and many players who wait for the same kind of answer cost few requests.
 */
export class RequestBatch<K, V> {
  readonly #read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>
  readonly #pauseMillis: () => number
  #next: Batch<K, V> | undefined
  #previous: Promise<unknown> = Promise.resolve()

  /** `pauseMillis` is called before each pause. */
  constructor(read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>, pauseMillis: () => number) {
    this.#read = read
    this.#pauseMillis = pauseMillis
  }

  /** What is known of these keys. Rejects if the request that they were in fails. */
  async ask(keys: readonly K[]): Promise<Map<K, V>> {
    if (keys.length === 0) return new Map()
    this.#next ??= this.#open()
    for (const key of keys) this.#next.keys.add(key)
    const all = await this.#next.answer
    return new Map(
      keys.flatMap((key): [K, V][] => {
        const value = all.get(key)
        return value === undefined ? [] : [[key, value]]
      }),
    )
  }

  #open(): Batch<K, V> {
    const keys = new Set<K>()
    const turn = this.#previous
    const answer = turn.then(() => {
      this.#next = undefined
      return this.#read([...keys])
    })
    const pause = turn.then(() => delay(this.#pauseMillis(), undefined, { ref: false }))
    this.#previous = Promise.allSettled([answer, pause])
    return { keys, answer }
  }
}

/** The items in their order, in lists of at most `size`. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
}
