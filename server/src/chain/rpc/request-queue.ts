/**
 * What a request is for, the most urgent first. `relay` is what browsers ask through the relay: it never delays the server's own
 * requests.
 */
const priorities = ['settlement', 'release', 'blockhash', 'balance', 'relay'] as const
export type Priority = (typeof priorities)[number]

/** The request was not sent: too many were waiting, it waited too long, or the queue is closed. */
export class NotSent extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NotSent'
  }
}

interface QueueLimits {
  /** Requests started in any one second. */
  perSecond: number
  maxInFlight: number
  maxWaiting: number
  maxWaitMillis: number
}

interface Waiter {
  start(): void
  reject(error: NotSent): void
}

const SECOND = 1000

const CLOSED = 'the chain client was stopped'

/**
 * Starts requests at a bounded rate, the most urgent first. The limit is a sliding window: no second, wherever it begins, sees more than
 * `perSecond` requests.
 */
export class RequestQueue {
  readonly #limits: QueueLimits
  readonly #now: () => number
  readonly #waiting: Record<Priority, Set<Waiter>> = {
    settlement: new Set(),
    release: new Set(),
    blockhash: new Set(),
    balance: new Set(),
    relay: new Set(),
  }
  /** When the last `perSecond` requests started, as a ring: `#oldest` is the place of the first of them. */
  readonly #startedAt: number[]
  #oldest = 0
  #inFlight = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** `now` returns monotonic milliseconds. */
  constructor(limits: QueueLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
    this.#startedAt = Array.from({ length: limits.perSecond }, () => Number.NEGATIVE_INFINITY)
  }

  /** How many requests wait. */
  get waiting(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].size, 0)
  }

  /** Requests of the server itself wait for their turn. */
  get saturated(): boolean {
    return this.waiting > this.#waiting.relay.size
  }

  /**
   * Runs the task as soon as rate and priority allow.
   *
   * @throws NotSent if it was never started.
   */
  async run<T>(priority: Priority, task: () => Promise<T>): Promise<T> {
    await this.#turn(priority)
    try {
      return await task()
    } finally {
      this.#inFlight -= 1
      this.#startNext()
    }
  }

  /** Rejects all requests that wait, and all later ones. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const priority of priorities) {
      for (const waiter of this.#waiting[priority]) waiter.reject(new NotSent(CLOSED))
    }
  }

  #turn(priority: Priority): Promise<void> {
    if (this.#closed) return Promise.reject(new NotSent(CLOSED))
    if (this.waiting >= this.#limits.maxWaiting && !this.#displaceLessUrgent(priority)) {
      return Promise.reject(new NotSent(`${this.#limits.maxWaiting} requests are waiting already`))
    }
    return new Promise((resolve, reject) => {
      const queue = this.#waiting[priority]
      const waiter: Waiter = {
        start: () => {
          this.#leave(queue, waiter, expiry)
          resolve()
        },
        reject: (error) => {
          this.#leave(queue, waiter, expiry)
          reject(error)
        },
      }
      const tooLate = () => waiter.reject(new NotSent(`waited for ${this.#limits.maxWaitMillis} ms`))
      const expiry = setTimeout(tooLate, this.#limits.maxWaitMillis)
      queue.add(waiter)
      this.#startNext()
    })
  }

  #leave(queue: Set<Waiter>, waiter: Waiter, expiry: NodeJS.Timeout): void {
    clearTimeout(expiry)
    queue.delete(waiter)
  }

  #displaceLessUrgent(priority: Priority): boolean {
    const lessUrgent = priorities.slice(priorities.indexOf(priority) + 1).reverse()
    for (const lower of lessUrgent) {
      const newest = [...this.#waiting[lower]].at(-1)
      if (!newest) continue
      newest.reject(new NotSent('displaced by a more urgent request'))
      return true
    }
    return false
  }

  #startNext(): void {
    while (this.#inFlight < this.#limits.maxInFlight) {
      const waiter = this.#mostUrgent()
      if (!waiter) return
      const wait = (this.#startedAt[this.#oldest] ?? 0) + SECOND - this.#now()
      if (wait > 0) return this.#startLater(wait)
      this.#startedAt[this.#oldest] = this.#now()
      this.#oldest = (this.#oldest + 1) % this.#limits.perSecond
      this.#inFlight += 1
      waiter.start()
    }
  }

  #mostUrgent(): Waiter | undefined {
    for (const priority of priorities) {
      const [first] = this.#waiting[priority]
      if (first) return first
    }
    return undefined
  }

  #startLater(millis: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#startNext(), Math.ceil(millis))
  }
}
