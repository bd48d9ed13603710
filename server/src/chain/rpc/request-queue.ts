/** How long a slot takes on Solana's clusters. */
export const SLOT_MILLIS = 400

/** An endpoint that allows this many requests per second is on this machine and practically unlimited: no reads are delayed to spare it. */
const UNLIMITED_PER_SECOND = 1000

/**
 * How often to read something that many callers share, so that it takes a fixed share of the budget, however many ask.
 *
 * @param share the part of the budget, between 0 and 1.
 * @returns the minimum milliseconds between two requests: at least `leastMillis`, but 0 if the budget is practically unlimited.
 */
export function paceMillis(perSecond: number, { share, leastMillis }: { share: number; leastMillis: number }): number {
  return perSecond >= UNLIMITED_PER_SECOND ? 0 : Math.max(leastMillis, 1000 / (share * perSecond))
}

/**
 * The purpose of a request, the most urgent first.
 *
 * - settlement: the outcome of a payment.
 * - payment: checking and broadcasting a signed payment.
 * - blockhash: what everyone needs in order to pay.
 * - release: searching for the payments of holds.
 * - candidate: reading transactions that may be payments or refunds, and that anybody can make many of. Whoever asks keeps to a pace.
 * - balance: reading what a new hold needs to know.
 * - spare: requests that can wait indefinitely. They take only permits that nothing else of the server would need within a second.
 * - relay: browsers' requests through the relay. They never delay the server's own requests.
 */
const priorities = ['settlement', 'payment', 'blockhash', 'release', 'candidate', 'balance', 'spare', 'relay'] as const
export type Priority = (typeof priorities)[number]

/** Someone has paid: such a request waits longer than others instead of failing. */
const paid: ReadonlySet<Priority> = new Set(['settlement', 'payment'])
/** The part of the permits that `spare` requests leave to the server's others. */
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
  /** Requests that arrive in any one second. */
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
/**
 * A request that is not answered after four quarters of a second counts as arrived: slow answers cost at most half of the rate. However long
 * the process stands still, only one quarter passes.
 */
const QUARTER_MILLIS = 250
const LONGEST_WAY_QUARTERS = 4

const closed = () => new NotSent('the chain client was stopped', { busy: false })

/**
 * A sliding window at the endpoint. A request may leave long after its start, because it connects first or the process is busy, and all that
 * is known is that it arrives before its answer. So its permit is taken at its start and returns one second after its answer, or one second
 * after it must have arrived if the answer takes longer.
 */
class RateWindow {
  readonly #perSecond: number
  readonly #now: () => number
  /** Requests that have started and may not have arrived. */
  #onTheWay = 0
  /** When the last `perSecond` requests were known to have arrived, as a ring: `#oldest` is the place of the first of them. */
  readonly #arrivedAt: number[]
  #oldest = 0

  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond
    this.#now = now
    this.#arrivedAt = Array.from({ length: perSecond }, () => Number.NEGATIVE_INFINITY)
  }

  start(): void {
    this.#onTheWay += 1
  }

  arrive(): void {
    this.#onTheWay -= 1
    this.#arrivedAt[this.#oldest] = this.#now()
    this.#oldest = (this.#oldest + 1) % this.#perSecond
  }

  /** The permits in use. */
  get used(): number {
    return this.#onTheWay + this.#arrivedWithinSecond()
  }

  /** Until fewer than so many permits are in use; infinite while as many requests may not have arrived. */
  millisUntil(permits: number): number {
    const forArrived = permits - this.#onTheWay
    if (forArrived <= 0) return Number.POSITIVE_INFINITY
    return this.#arrivalOf(this.#perSecond - forArrived) + SECOND - this.#now()
  }

  /** When the request that is this many after the oldest arrived. */
  #arrivalOf(offset: number): number {
    return this.#arrivedAt[(this.#oldest + offset) % this.#perSecond] ?? Number.NEGATIVE_INFINITY
  }

  #arrivedWithinSecond(): number {
    const since = this.#now() - SECOND
    let [low, high] = [0, this.#perSecond]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#arrivalOf(middle) > since) high = middle
      else low = middle + 1
    }
    return this.#perSecond - low
  }
}

/** Starts requests at a bounded rate, the most urgent first: in no second do more than `perSecond` of them arrive at the endpoint. */
export class RequestQueue {
  readonly #limits: QueueLimits
  readonly #waiting: Record<Priority, Set<Waiter>> = {
    settlement: new Set(),
    payment: new Set(),
    blockhash: new Set(),
    release: new Set(),
    candidate: new Set(),
    balance: new Set(),
    spare: new Set(),
    relay: new Set(),
  }
  readonly #all: RateWindow
  /** Without the relay's. */
  readonly #own: RateWindow
  #inFlight = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** `now` returns monotonic milliseconds. */
  constructor(limits: QueueLimits, now: () => number) {
    this.#limits = limits
    this.#all = new RateWindow(limits.perSecond, now)
    this.#own = new RateWindow(limits.perSecond, now)
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waitingUpTo('relay')
  }

  /** The server's own requests are waiting for their turn. */
  get saturated(): boolean {
    return this.#waitingUpTo('balance') > 0
  }

  /** A `spare` request would start now, or as the next one, before those of the relay that wait. */
  get hasSpare(): boolean {
    const isNext = this.#waiting.relay.size > 0 ? this.#millisUntilKept() <= 0 : this.#millisUntil('spare') <= 0
    return isNext && this.#waitingUpTo('spare') === 0
  }

  /**
   * The part of the rate that the newest requests used, from 0 to 1. It looks at as many requests as a second allows, however long they
   * took.
   */
  get usedRatio(): number {
    const sinceOldest = SECOND - this.#millisUntil('settlement')
    return Math.min(1, SECOND / Math.max(1, sinceOldest))
  }

  /** Seconds of work ahead of a request of this priority: the permits in use and the waiting requests. */
  backlogSeconds(priority: Priority): number {
    return (this.#all.used + this.#waitingUpTo(priority)) / this.#limits.perSecond
  }

  /**
   * Runs the task as soon as rate and priority allow.
   *
   * @throws NotSent if it was never started.
   */
  async run<T>(priority: Priority, task: () => Promise<T>): Promise<T> {
    await this.#turn(priority)
    const arrived = this.#expectArrival(priority)
    try {
      return await task()
    } finally {
      this.#inFlight -= 1
      arrived()
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
      const waiting = priorities.filter((name) => this.#waiting[name].size > 0)
      const priority = waiting.find((name) => this.#millisUntil(name) <= 0)
      if (!priority) return this.#startLater(Math.min(...waiting.map((name) => this.#millisUntil(name))))
      for (const window of this.#windowsOf(priority)) window.start()
      this.#inFlight += 1
      const [first] = this.#waiting[priority]
      first?.start()
    }
  }

  /** Counts a request as on its way until the returned function is called, or it must have arrived. */
  #expectArrival(priority: Priority): () => void {
    let onTheWay = true
    let timer: NodeJS.Timeout
    const arrived = () => {
      clearTimeout(timer)
      if (onTheWay) for (const window of this.#windowsOf(priority)) window.arrive()
      onTheWay = false
      this.#startNext()
    }
    const wait = (quarters: number) => {
      timer = setTimeout(() => (quarters > 1 ? wait(quarters - 1) : arrived()), QUARTER_MILLIS)
    }
    wait(LONGEST_WAY_QUARTERS)
    return arrived
  }

  #windowsOf(priority: Priority): RateWindow[] {
    return priority === 'relay' ? [this.#all] : [this.#all, this.#own]
  }

  /** Until there is a permit for a request of this priority; infinite while all of them are taken by requests that may not have arrived. */
  #millisUntil(priority: Priority): number {
    const wait = this.#all.millisUntil(this.#limits.perSecond)
    return priority === 'spare' ? Math.max(wait, this.#millisUntilKept()) : wait
  }

  /** Until a `spare` request leaves enough to the server's others. */
  #millisUntilKept(): number {
    return this.#own.millisUntil(Math.max(1, Math.floor(this.#limits.perSecond * (1 - KEPT_FROM_SPARE))))
  }

  #waitingUpTo(last: Priority): number {
    return priorities.slice(0, priorities.indexOf(last) + 1).reduce((sum, priority) => sum + this.#waiting[priority].size, 0)
  }

  #startLater(millis: number): void {
    if (millis === Number.POSITIVE_INFINITY) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#startNext(), Math.ceil(millis))
  }
}
