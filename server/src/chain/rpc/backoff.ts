import { type EndpointError } from './endpoint-error.ts'

const FIRST_BACKOFF_MILLIS = 250
const LONGEST_BACKOFF_MILLIS = 30_000

/**
 * How long to wait before asking an endpoint again after failures: exponential backoff with jitter, or the time that the endpoint demanded.
 */
export class Backoff {
  readonly #now: () => number
  #failures = 0
  #lastFailure: EndpointError | undefined
  #failedAt = Number.NEGATIVE_INFINITY
  #until = Number.NEGATIVE_INFINITY
  #rateLimitedUntil = Number.NEGATIVE_INFINITY

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Undefined after a success. */
  get lastFailure(): EndpointError | undefined {
    return this.#lastFailure
  }

  get failing(): boolean {
    return this.#failures > 0
  }

  /** Milliseconds until the endpoint should be asked again; 0 if now. */
  get millisLeft(): number {
    return Math.max(0, this.#until - this.#now())
  }

  /** The endpoint told us to wait, and that time has not passed. */
  get rateLimited(): boolean {
    return this.#rateLimitedUntil > this.#now()
  }

  /** Records an answer to a request sent at `startedAt`; a request sent before the last failure proves nothing. */
  succeeded(startedAt: number): void {
    if (startedAt < this.#failedAt) return
    this.#failures = 0
    this.#until = Number.NEGATIVE_INFINITY
    this.#rateLimitedUntil = Number.NEGATIVE_INFINITY
    this.#lastFailure = undefined
  }

  /** Records a failure. Requests that were in flight together fail together, so they count as one. */
  failed(failure: EndpointError, startedAt: number): void {
    this.#lastFailure = failure
    if (startedAt < this.#failedAt) return
    const now = this.#now()
    this.#failures += 1
    this.#failedAt = now
    const millis = failure.retryAfterMillis ?? backoffAfter(this.#failures)
    this.#until = now + millis
    if (failure.kind === 'rate-limited') this.#rateLimitedUntil = now + millis
  }
}

/** Doubles with each failure; half of it is random, so that many clients do not come back at once. */
function backoffAfter(failures: number): number {
  const longest = Math.min(FIRST_BACKOFF_MILLIS * 2 ** (failures - 1), LONGEST_BACKOFF_MILLIS)
  return longest * (0.5 + Math.random() / 2)
}
