import { setTimeout as delay } from 'node:timers/promises'

interface Batch<K, V> {
  keys: Set<K>
  answer: Promise<ReadonlyMap<K, V>>
}

export interface BatchTiming {
  /** How long after the start of a request the next one may start; called before each pause. Without it there is none. */
  pauseMillis?: () => number
  /** A request that takes longer than this delays only its own callers. Without it, the next one always waits for its answer. */
  patienceMillis?: number
}

/**
 * Batches the questions of many callers: a caller that asks while a request is in flight, or during the pause after it was sent, joins the
 * next one. So no answer is older than its question, and many callers that wait for the same kind of answer cost few requests. A caller
 * that asks while there is neither is answered at once.
 */
export class RequestBatch<K, V> {
  readonly #read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>
  readonly #timing: BatchTiming
  #next: Batch<K, V> | undefined
  #previous: Promise<unknown> = Promise.resolve()

  constructor(read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>, timing: BatchTiming = {}) {
    this.#read = read
    this.#timing = timing
  }

  /** The answers for these keys. Rejects if their request fails. */
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
    this.#previous = this.#nextTurn(turn, answer)
    return { keys, answer }
  }

  #nextTurn(turn: Promise<unknown>, answer: Promise<unknown>): Promise<unknown> {
    const { pauseMillis, patienceMillis } = this.#timing
    const wait = (millis: number) => delay(millis, undefined, { ref: false })
    const answered = Promise.allSettled(pauseMillis ? [answer, turn.then(() => wait(pauseMillis()))] : [answer])
    return patienceMillis === undefined ? answered : Promise.race([answered, turn.then(() => wait(patienceMillis))])
  }
}

/** The items in their order, in lists of at most `size`. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
}
