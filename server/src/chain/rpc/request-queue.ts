/**
 * The purpose of a request, the most urgent first.
 *
 * - settlement: the outcome of a payment.
 * - payment: checking and broadcasting a signed payment.
 * - blockhash: what everyone needs in order to pay.
 * - release: searching for the payments of holds.
 * - balance: reading what a new hold needs to know.
 * - relay: browsers' requests through the relay. They never delay the server's own requests.
 * - spare: requests that can wait indefinitely. They take only permits that nothing else would need within a second.
 */
const priorities = ['settlement', 'payment', 'blockhash', 'release', 'balance', 'relay', 'spare'] as const
export type Priority = (typeof priorities)[number]

/** Someone has paid: such a request waits longer than others instead of failing. */
const paid: ReadonlySet<Priority> = new Set(['settlement', 'payment'])
/** The part of the permits that `spare` requests leave to the others. */
const KEPT_FROM_SPARE = 0.3

/** The request was not sent. */
export class NotSent extends Error {
  /** Too many requests were ahead of it; otherwise, the queue is closed. */
  readonly busy: boolean

  constructor(reason: string, { busy }: { busy: boolean }) {
    super(reason)
    this.name = 'NotSent'
    this.busy = busy
  }
}

interface QueueLimits {
  /** Requests started in any one second. */
  perSecond: number
  maxInFlight: number
  maxWaiting: number
  maxWaitMillis: number
  /** For requests on which a payment depends, and for those that use spare permits. */
  longestWaitMillis: number
}

interface Waiter {
  start(): void
  reject(error: NotSent): void
}

const SECOND = 1000

const closed = () => new NotSent('the chain client was stopped', { busy: false })

/**
 * Starts requests at a bounded rate, the most urgent first. The limit is a sliding window: no one-second interval contains more than
 * `perSecond` requests.
 */
export class RequestQueue {
  readonly #limits: QueueLimits
  readonly #now: () => number
  readonly #waiting: Record<Priority, Set<Waiter>> = {
    settlement: new Set(),
    payment: new Set(),
    blockhash: new Set(),
    release: new Set(),
    balance: new Set(),
    relay: new Set(),
    spare: new Set(),
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

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waitingUpTo('spare')
  }

  /** The server's own requests are waiting for their turn. */
  get saturated(): boolean {
    return this.#waitingUpTo('balance') > 0
  }

  /** A `spare` request would start now. */
  get hasSpare(): boolean {
    return this.waiting === 0 && this.#millisUntil('spare') <= 0
  }

  /**
   * The part of the rate that the newest requests used, from 0 to 1. It looks at as many requests as a second allows, however long they
   * took.
   */
  get usedRatio(): number {
    return Math.min(1, SECOND / Math.max(1, this.#now() - this.#startOf(0)))
  }

  /** Seconds of work ahead of a request of this priority: the last second's permits and the waiting requests. */
  backlogSeconds(priority: Priority): number {
    return (this.#startedWithinSecond() + this.#waitingUpTo(priority)) / this.#limits.perSecond
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
      for (const waiter of this.#waiting[priority]) waiter.reject(closed())
    }
  }

  #turn(priority: Priority): Promise<void> {
    if (this.#closed) return Promise.reject(closed())
    if (this.waiting >= this.#limits.maxWaiting && !this.#displaceLessUrgent(priority)) {
      return Promise.reject(new NotSent(`${this.#limits.maxWaiting} requests are waiting already`, { busy: true }))
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
      const { maxWaitMillis, longestWaitMillis } = this.#limits
      const patience = paid.has(priority) || priority === 'spare' ? longestWaitMillis : maxWaitMillis
      const expiry = setTimeout(() => waiter.reject(new NotSent(`waited for ${patience} ms`, { busy: true })), patience)
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
      newest.reject(new NotSent('displaced by a more urgent request', { busy: true }))
      return true
    }
    return false
  }

  #startNext(): void {
    while (this.#inFlight < this.#limits.maxInFlight) {
      const priority = priorities.find((name) => this.#waiting[name].size > 0)
      if (!priority) return
      const wait = this.#millisUntil(priority)
      if (wait > 0) return this.#startLater(wait)
      this.#startedAt[this.#oldest] = this.#now()
      this.#oldest = (this.#oldest + 1) % this.#limits.perSecond
      this.#inFlight += 1
      const [first] = this.#waiting[priority]
      first?.start()
    }
  }

  /** Until there is a permit for a request of this priority: fewer than this many have started in the last second. */
  #millisUntil(priority: Priority): number {
    const { perSecond } = this.#limits
    const permits = priority === 'spare' ? Math.max(1, Math.floor(perSecond * (1 - KEPT_FROM_SPARE))) : perSecond
    return this.#startOf(perSecond - permits) + SECOND - this.#now()
  }

  /** When the request that is this many after the oldest started. */
  #startOf(offset: number): number {
    return this.#startedAt[(this.#oldest + offset) % this.#limits.perSecond] ?? Number.NEGATIVE_INFINITY
  }

  #startedWithinSecond(): number {
    const { perSecond } = this.#limits
    const since = this.#now() - SECOND
    let [low, high] = [0, perSecond]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#startOf(middle) > since) high = middle
      else low = middle + 1
    }
    return perSecond - low
  }

  #waitingUpTo(last: Priority): number {
    return priorities.slice(0, priorities.indexOf(last) + 1).reduce((sum, priority) => sum + this.#waiting[priority].size, 0)
  }

  #startLater(millis: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#startNext(), Math.ceil(millis))
  }
}
