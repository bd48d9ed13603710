/**
 * What a request is for, the most urgent first: a waiting settlement read goes before a waiting balance read. `page` is what strangers
 * ask through the relay: it must never keep the server from what it asks itself.
 */
const priorities = ['settlement', 'release', 'blockhash', 'balance', 'page'] as const
export type Priority = (typeof priorities)[number]

/** The request was not sent: too many were waiting, it waited too long, or the queue was closed. */
export class QueueFull extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'QueueFull'
  }
}

interface QueueLimits {
  /** Requests begun within any one second. */
  perSecond: number
  maxInFlight: number
  maxWaiting: number
  maxWaitMillis: number
}

interface Waiter {
  begin(): void
  reject(error: QueueFull): void
}

const SECOND = 1000

/**
 * Lets requests go at a bounded rate, the urgent ones first. Its bucket holds `perSecond` tokens and each one returns a second
 * after it was taken, so that no second ever sees more requests than that, bursts included.
 */
export class RequestQueue {
  readonly #limits: QueueLimits
  readonly #now: () => number
  readonly #waiting: Record<Priority, Set<Waiter>> = {
    settlement: new Set(),
    release: new Set(),
    blockhash: new Set(),
    balance: new Set(),
    page: new Set(),
  }
  /** When each token was last taken; the one to be taken next stands at `#nextToken`. */
  readonly #takenAt: number[]
  #nextToken = 0
  #inFlight = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** `now` gives monotonic milliseconds. */
  constructor(limits: QueueLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
    this.#takenAt = Array.from({ length: limits.perSecond }, () => Number.NEGATIVE_INFINITY)
  }

  /** How many requests wait. */
  get waiting(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].size, 0)
  }

  /** Something waits that the server asks itself. */
  get ownWaits(): boolean {
    return this.waiting > this.#waiting.page.size
  }

  /** Runs the task as soon as rate and priority allow. Throws `QueueFull` where it never began. */
  async run<T>(priority: Priority, task: () => Promise<T>): Promise<T> {
    await this.#turn(priority)
    try {
      return await task()
    } finally {
      this.#inFlight -= 1
      this.#pump()
    }
  }

  /** Rejects everything that waits, and all that comes later. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const priority of priorities) {
      for (const waiter of this.#waiting[priority]) waiter.reject(new QueueFull('the chain client was stopped'))
    }
  }

  #turn(priority: Priority): Promise<void> {
    if (this.#closed) return Promise.reject(new QueueFull('the chain client was stopped'))
    if (this.waiting >= this.#limits.maxWaiting && !this.#displaceLessUrgent(priority)) {
      return Promise.reject(new QueueFull(`${this.#limits.maxWaiting} requests wait already`))
    }
    return new Promise((resolve, reject) => {
      const queue = this.#waiting[priority]
      const waiter: Waiter = {
        begin: () => {
          this.#leave(queue, waiter, expiry)
          resolve()
        },
        reject: (error) => {
          this.#leave(queue, waiter, expiry)
          reject(error)
        },
      }
      const tooLate = () => waiter.reject(new QueueFull(`waited ${this.#limits.maxWaitMillis} ms for its turn`))
      const expiry = setTimeout(tooLate, this.#limits.maxWaitMillis)
      queue.add(waiter)
      this.#pump()
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
      newest.reject(new QueueFull('gave way to a more urgent request'))
      return true
    }
    return false
  }

  #pump(): void {
    while (this.#inFlight < this.#limits.maxInFlight) {
      const waiter = this.#mostUrgent()
      if (!waiter) return
      const wait = (this.#takenAt[this.#nextToken] ?? 0) + SECOND - this.#now()
      if (wait > 0) return this.#pumpIn(wait)
      this.#takenAt[this.#nextToken] = this.#now()
      this.#nextToken = (this.#nextToken + 1) % this.#limits.perSecond
      this.#inFlight += 1
      waiter.begin()
    }
  }

  #mostUrgent(): Waiter | undefined {
    for (const priority of priorities) {
      const [first] = this.#waiting[priority]
      if (first) return first
    }
    return undefined
  }

  #pumpIn(millis: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#pump(), Math.ceil(millis))
  }
}
