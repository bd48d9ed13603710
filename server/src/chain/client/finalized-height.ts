import { MOST_SLOTS_PER_SECOND } from '../chain.ts'
import { type ChainLog } from '../rpc/endpoint-probe.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'

/**
 * A non-negative integer of an RPC reply. Kit does not check the types of replies at run time, so anything else must be rejected here.
 *
 * @throws Error if it is not a non-negative bigint.
 */
export function requireInteger(value: bigint): bigint {
  if (typeof value !== 'bigint' || value < 0n) throw new Error('the endpoint did not return an integer')
  return value
}

/** How far the finalized chain has come, as one or more endpoints told it. */
export interface Tip {
  slot: bigint
  height: bigint
}

/** A tip as a measure of what endpoints tell later. */
export interface KnownTip extends Tip {
  /** When it was read, in monotonic milliseconds. */
  at: number
  /** Two endpoints agreed on it. */
  confirmed: boolean
}

/** How far an honest endpoint may lag or be ahead: about 18 minutes on mainnet. */
const SLACK = 5_000n

/** Whether an endpoint can honestly tell this slot, or this height, at this time. */
export function isPlausible(known: KnownTip, number: 'slot' | 'height', told: bigint, at: number): boolean {
  const passed = BigInt(Math.ceil((Math.max(0, at - known.at) / 1000) * MOST_SLOTS_PER_SECOND))
  return told >= known[number] - SLACK && told <= known[number] + SLACK + passed
}

/**
 * The tip to measure by after the endpoints were asked again. Two that agree are believed, the second highest of them, so that none alone
 * raises it. Of endpoints that disagree, none is believed beyond what was known, or beyond what the other one confirms. A single endpoint
 * leaves nothing to compare.
 *
 * @param told of each endpoint that answered
 */
export function nextTip(known: KnownTip | undefined, told: readonly Tip[], at: number): KnownTip | undefined {
  const agreed = told.filter((one) => told.some((other) => other !== one && isNear(one, other))).toSorted((a, b) => Number(b.slot - a.slot))
  const second = agreed[1]
  if (second) return { ...second, at, confirmed: true }
  const stands = known && (known.confirmed || told.length === 1) && told.some((tip) => isTipPlausible(known, tip, at))
  if (stands || told.length === 0) return known
  return { slot: least(told.map(({ slot }) => slot)), height: least(told.map(({ height }) => height)), at, confirmed: false }
}

function isTipPlausible(known: KnownTip, { slot, height }: Tip, at: number): boolean {
  return isPlausible(known, 'slot', slot, at) && isPlausible(known, 'height', height, at)
}

function isNear(one: Tip, other: Tip): boolean {
  return isTipPlausible({ ...one, at: 0, confirmed: false }, other, 0)
}

function least(numbers: readonly bigint[]): bigint {
  return numbers.reduce((lowest, number) => (number < lowest ? number : lowest))
}

/** How long a reading of the finalized chain at all endpoints serves. */
const READING_MILLIS = 60_000
/** And one that no second endpoint has confirmed: it may be the word of one that lies. */
const UNCONFIRMED_MILLIS = 5_000
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
    else if (this.#age() >= (this.#tip.confirmed ? READING_MILLIS : UNCONFIRMED_MILLIS)) void this.#readAgain()
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

  /**
   * Whether two endpoints agree that a number that was believed is too high. If one lied while no other answered, its number was the best
   * there was, and must not outlive that. One endpoint alone disproves nothing, and nothing that is near what an honest one can tell: too low
   * a height would end holds too early. Two that agree may be as far below the chain as one may be above it.
   */
  isTooHigh(number: 'slot' | 'height', believed: bigint): boolean {
    return this.#tip?.confirmed === true && believed > this.#tip[number] && !this.#fits(number, believed - SLACK)
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

/** How long the finalized height that an endpoint has told counts. */
const KNOWN_MILLIS = 60_000

/** The finalized height, as the measure of heights that endpoints tell: it is asked for only if it does not explain them. */
export class FinalizedHeight {
  readonly #pool: RpcPool
  readonly #outliers: Outliers
  readonly #now: () => number
  #known: { height: bigint; at: number } | undefined
  /** Callers share it. */
  #reading: Promise<bigint> | undefined

  /** `now` returns monotonic milliseconds. */
  constructor(pool: RpcPool, outliers: Outliers, now: () => number) {
    this.#pool = pool
    this.#outliers = outliers
    this.#now = now
  }

  /**
   * A height that is at most so many blocks above the finalized chain, if an endpoint confirms that; else the highest that is.
   *
   * @throws Failure CHAIN_DOWN or CHAIN_BUSY if no endpoint tells the finalized height.
   */
  async bound(height: bigint, mostAhead: bigint): Promise<bigint> {
    const least = height - mostAhead
    if (this.#isAtLeast(least)) return height
    await (this.#reading ??= this.#read(least).finally(() => (this.#reading = undefined)))
    if (this.#isAtLeast(least)) return height
    // The reading may have been another caller's, who was content with less.
    const finalized = await this.#read(least)
    return finalized >= least ? height : finalized + mostAhead
  }

  #isAtLeast(height: bigint): boolean {
    const { height: known, at } = this.#known ?? { height: -1n, at: 0 }
    return known >= height && this.#now() - at < KNOWN_MILLIS && !this.#outliers.isTooHigh('height', known)
  }

  /** Asks one endpoint after the other until the finalized chain is that high. Returns the highest that was told. */
  async #read(least: bigint): Promise<bigint> {
    const at = this.#now()
    let highest = 0n
    await this.#pool.askInTurn('blockhash', async (rpc, endpoint) => {
      const height = requireInteger(await rpc.getBlockHeight({ commitment: 'finalized' }).send())
      const told = await this.#outliers.require(endpoint, 'height', height)
      if (told > highest) highest = told
      return told >= least ? told : undefined
    })
    this.#known = { height: highest, at }
    return highest
  }

  /** Forgets what belongs to a different chain. */
  clear(): void {
    this.#known = undefined
  }
}
