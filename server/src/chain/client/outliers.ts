import { type ChainLog } from '../rpc/chain-identity.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { isPlausible, type KnownTip, nextTip } from './finalized-tip.ts'
import { requireInteger } from './require-integer.ts'

/** How long a reading of the finalized chain at all endpoints serves. */
const READING_MILLIS = 60_000
/** A number that does not fit has all endpoints asked again, at most this often. */
const LEAST_MILLIS = 1_000
/** An endpoint that keeps telling such numbers is logged again after this time. */
const LOG_MILLIS = 60 * 60 * 1_000

/**
 * Drops slots and heights that are far from the finalized chain: one endpoint of several that tells a wrong number changes nothing. With a
 * single endpoint there is nothing to compare.
 */
export class Outliers {
  readonly #pool: RpcPool
  readonly #log: ChainLog
  readonly #now: () => number
  readonly #loggedAt = new Map<Endpoint, number>()
  #tip: KnownTip | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  /** `now` returns monotonic milliseconds. */
  constructor(pool: RpcPool, log: ChainLog, now: () => number) {
    this.#pool = pool
    this.#log = log
    this.#now = now
  }

  /**
   * Returns the number, if this endpoint can honestly tell it.
   *
   * @throws Error if it is an outlier, so that another endpoint is asked.
   */
  async require(endpoint: Endpoint, number: 'slot' | 'height', told: bigint): Promise<bigint> {
    if (this.#pool.endpoints.length === 1) return told
    if (!this.#tip) await this.#readAgain()
    else if (this.#age() >= READING_MILLIS) void this.#readAgain()
    if (this.#fits(number, told)) return told
    if (this.#age() >= LEAST_MILLIS) await this.#readAgain()
    if (this.#fits(number, told)) return told
    this.#warn(endpoint, number, told)
    throw new Error(`the endpoint told ${number} ${told}, far from the finalized chain`)
  }

  /** Forgets what belongs to a different chain. */
  clear(): void {
    this.#tip = undefined
  }

  #fits(number: 'slot' | 'height', told: bigint): boolean {
    return !this.#tip || isPlausible(this.#tip, number, told, this.#now())
  }

  #age(): number {
    return this.#now() - this.#readAt
  }

  /** Callers share one reading. Never fails: what was known still counts, and rises with time. */
  #readAgain(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)))
  }

  async #read(): Promise<void> {
    const at = this.#now()
    this.#readAt = at
    const told = await this.#pool.askAll('blockhash', readTip).catch(() => [])
    this.#tip = nextTip(this.#tip, told, at)
  }

  #warn(endpoint: Endpoint, number: 'slot' | 'height', told: bigint): void {
    const loggedAt = this.#loggedAt.get(endpoint)
    if (loggedAt !== undefined && this.#now() - loggedAt < LOG_MILLIS) return
    this.#loggedAt.set(endpoint, this.#now())
    const fields = { endpoint: endpoint.host, [number]: String(told), finalized: String(this.#tip?.[number]) }
    this.#log.warn(fields, `a chain endpoint told a ${number} that is far from the finalized chain; it is ignored`)
  }
}

async function readTip(rpc: ChainRpc) {
  const height = requireInteger(await rpc.getBlockHeight({ commitment: 'finalized' }).send())
  return { slot: requireInteger(await rpc.getSlot({ commitment: 'finalized' }).send()), height }
}
