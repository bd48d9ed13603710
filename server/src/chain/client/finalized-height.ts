import { type RpcPool } from '../rpc/rpc-pool.ts'
import { type Outliers } from './outliers.ts'
import { requireInteger } from './require-integer.ts'

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
    return this.#known !== undefined && this.#now() - this.#known.at < KNOWN_MILLIS && this.#known.height >= height
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
