import { isDeepStrictEqual } from 'node:util'
import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { signature as asSignature, address, blockhash as asBlockhash } from '@solana/kit'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports, lamports } from '@juicebar/contract/money'
import { type LandedTransaction, MOST_BLOCKS_AHEAD } from '../chain.ts'
import { type Priority, paceMillis, SLOT_MILLIS } from '../rpc/request-queue.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { decodeLandedTransaction } from '../transactions/landed-transaction.ts'
import { AnswerCache } from '../rpc/answer-cache.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { chunks, RequestBatch } from '../../runtime/request-batch.ts'
import { type FinalizedHeight, type Outliers, requireInteger } from './finalized-height.ts'

/**
 * Reads a transaction at `confirmed` or above. What no signature covers (that it failed, its lookup tables, transfers by programs) is read from
 * a second endpoint, and is in doubt unless that shows the same. That it succeeded counts if only one shows so.
 *
 * @returns undefined if no healthy endpoint has it.
 * @throws Failure CHAIN_DOWN or CHAIN_BUSY if none answers.
 */
export async function readTransaction(pool: RpcPool, signature: Signature, priority: Priority): Promise<LandedTransaction | undefined> {
  const config = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 1 } as const
  const doubtful: LandedTransaction[] = []
  const ask = async (rpc: ChainRpc) => {
    const reply = await rpc.getTransaction(asSignature(signature), config).send()
    if (!reply) return undefined
    const { needsSecond, ...transaction } = decodeLandedTransaction(signature, reply, pool)
    if (!needsSecond || !pool.hasSecond || doubtful.some((other) => isAlike(other, transaction))) return transaction
    doubtful.push(transaction)
    return undefined
  }
  const agreed = await pool.askInTurn(priority, ask, { about: [signature] })
  const shown = agreed ?? doubtful.find(({ failed }) => !failed) ?? doubtful[0]
  return agreed ?? (shown && { ...shown, doubt: doubtful.length === 1 ? 'alone' : 'disputed' })
}

/** Whether two endpoints show the same of what no signature covers. */
function isAlike(one: LandedTransaction, other: LandedTransaction): boolean {
  if (one.failed || other.failed) return one.failed === other.failed
  return isDeepStrictEqual([one.instructions, one.innerInstructions], [other.instructions, other.innerInstructions])
}

const BLOCKHASH_MILLIS = 1000
const BALANCE_MILLIS = 2000
const REACHED_MILLIS = 2000
const RENT_MILLIS = 60 * 60 * 1000
const MAX_BALANCES = 10_000
/** How long pairs of slot and height are used before they are read again. Slots can lack a block, so the heights computed from them become a little too high. */
const TIPS_MILLIS = 60_000
/** Most accounts in one `getMultipleAccounts` (Agave, `MAX_MULTIPLE_ACCOUNTS`). */
const ACCOUNTS_PER_CALL = 100
/** How much of the budget balances may take, however many wallets buy. */
const BALANCES = { share: 0.06, leastMillis: 100 }
/** For reading the slot when no other answer has contained it recently. */
const SLOTS = { share: 0.1, leastMillis: SLOT_MILLIS }

export interface BlockhashLifetime {
  blockhash: string
  lastValidBlockHeight: bigint
}

interface Tip extends BlockhashLifetime {
  slot: bigint
}

/**
 * Reads that many players share and that may be a moment old. One request serves everyone who asks at the time. Every call throws
 * CHAIN_DOWN if no endpoint answers, and CHAIN_BUSY if none has room for the request.
 */
export class SharedReads {
  readonly #pool: RpcPool
  readonly #finalizedHeight: FinalizedHeight
  readonly #outliers: Outliers
  readonly #now: () => number
  readonly #tips: AnswerCache<Tip>
  readonly #reached: AnswerCache<bigint>
  readonly #rents: AnswerCache<Lamports>
  readonly #balances: AnswerCache<Lamports>
  readonly #batch: RequestBatch<WalletAddress, Lamports>
  /** The highest slot seen, and when an answer last contained a slot. Replaced when the chain changes. */
  #seen = { slot: 0n, at: Number.NEGATIVE_INFINITY }
  /** Of every endpoint that answered, and when they were read. */
  #known: { tips: readonly Tip[]; at: number } | undefined
  #reading: Promise<readonly Tip[]> | undefined

  /** `now` returns monotonic milliseconds. */
  constructor(pool: RpcPool, finalizedHeight: FinalizedHeight, outliers: Outliers, now: () => number) {
    this.#pool = pool
    this.#finalizedHeight = finalizedHeight
    this.#outliers = outliers
    this.#now = now
    this.#tips = new AnswerCache(now, 1)
    this.#reached = new AnswerCache(now, 1)
    this.#rents = new AnswerCache(now, 1)
    this.#balances = new AnswerCache(now, MAX_BALANCES)
    this.#batch = new RequestBatch((wallets) => this.#readBalances(wallets), { pauseMillis: () => paceMillis(pool.perSecond, BALANCES) })
  }

  balance(of: WalletAddress, { fresh = false }: { fresh?: boolean } = {}): Promise<Lamports> {
    const read = async () => requireAnswer((await this.#batch.ask([of])).get(of))
    return fresh ? this.#balances.refresh(of, BALANCE_MILLIS, read) : this.#balances.get(of, BALANCE_MILLIS, read)
  }

  rentExemptMinimum(): Promise<Lamports> {
    return this.#rents.get('rent', RENT_MILLIS, () => this.#readRent())
  }

  async latestBlockhash(): Promise<BlockhashLifetime> {
    const { blockhash, lastValidBlockHeight } = await this.#tips.get('latest', BLOCKHASH_MILLIS, () =>
      this.#askNotingSlots('blockhash', (rpc, endpoint) => this.#askTip(rpc, endpoint)),
    )
    return { blockhash, lastValidBlockHeight }
  }

  /** The highest slot in any answer so far, without a request. */
  get slotSeen(): bigint {
    return this.#seen.slot
  }

  /** The highest slot seen, at most as old as the length of a slot, or a little older on a small budget. */
  async highestSlot(): Promise<bigint> {
    if (this.#now() - this.#seen.at >= paceMillis(this.#pool.perSecond, SLOTS)) await this.#readSlot()
    return this.#seen.slot
  }

  /** A slot that the chain has reached, as two endpoints tell it, if two answer. With a single endpoint, the highest seen. */
  reachedSlot(): Promise<bigint> {
    if (this.#pool.endpoints.length === 1) return this.highestSlot()
    return this.#reached.get('reached', REACHED_MILLIS, () => this.#readReached())
  }

  async #readReached(): Promise<bigint> {
    const told = await this.#pool.askAll('blockhash', async (rpc, endpoint) => {
      return this.#outliers.require(endpoint, 'slot', requireInteger(await rpc.getSlot({ commitment: 'processed' }).send()))
    })
    const [highest, second] = told.toSorted((a, b) => Number(b - a))
    return requireAnswer(second ?? highest)
  }

  /**
   * The height above which nothing can land (again) that was valid, or landed, at this slot. A slot has at most one block, so from any
   * slot and its height on, heights rise no faster than slots: the answer may be too high, but never too low, as far as one endpoint that
   * answers tells the truth. A slot or height that is wrong by far is worth nothing against the finalized chain.
   */
  async expiryHeight(slot: bigint): Promise<bigint> {
    const heights = (await this.#knownTips()).map((tip) => tip.lastValidBlockHeight + (slot > tip.slot ? slot - tip.slot : 0n))
    return this.#finalizedHeight.bound(
      heights.reduce((most, height) => (height > most ? height : most)),
      MOST_BLOCKS_AHEAD,
    )
  }

  /** Those that are known serve while newer ones are read. */
  async #knownTips(): Promise<readonly Tip[]> {
    const known = this.#known?.tips.filter(({ slot }) => !this.#outliers.isTooHigh('slot', slot)) ?? []
    if (this.#known && known.length > 0 && this.#now() - this.#known.at < TIPS_MILLIS) return known
    const reading = (this.#reading ??= this.#readTips().finally(() => (this.#reading = undefined)))
    if (known.length === 0) return reading
    // Whoever finds nothing that is known asks again, and hears of it.
    reading.catch(() => undefined)
    return known
  }

  async #readTips(): Promise<readonly Tip[]> {
    const at = this.#now()
    const tips = await this.#pool.askAll('blockhash', (rpc, endpoint) => this.#askTip(rpc, endpoint))
    this.#known = { tips, at }
    return tips
  }

  /** Forgets everything, because it belongs to a different chain. */
  clear(): void {
    for (const cache of [this.#tips, this.#reached, this.#rents, this.#balances]) cache.clear()
    this.#seen = { slot: 0n, at: Number.NEGATIVE_INFINITY }
    this.#known = undefined
    this.#reading = undefined
  }

  async #readBalances(wallets: readonly WalletAddress[]): Promise<ReadonlyMap<WalletAddress, Lamports>> {
    const read = await Promise.all(chunks(wallets, ACCOUNTS_PER_CALL).map((chunk) => this.#readAccounts(chunk)))
    return new Map(read.flat())
  }

  async #readAccounts(wallets: readonly WalletAddress[]): Promise<[WalletAddress, Lamports][]> {
    const config = { commitment: 'processed', encoding: 'base64', dataSlice: { offset: 0, length: 0 } } as const
    const balances = await this.#askNotingSlots('balance', async (rpc) => {
      const { context, value } = await rpc
        .getMultipleAccounts(
          wallets.map((wallet) => address(wallet)),
          config,
        )
        .send()
      if (value.length !== wallets.length) throw new Error('the endpoint left out accounts')
      return {
        slot: requireInteger(context.slot),
        value: value.map((account) => (account === null ? 0n : requireInteger(account.lamports))),
      }
    })
    return wallets.map((wallet, index) => [wallet, lamports(balances.value[index] ?? 0n)])
  }

  async #readRent(): Promise<Lamports> {
    const rent = await this.#pool.askInTurn('blockhash', async (rpc) => {
      return lamports(requireInteger(await rpc.getMinimumBalanceForRentExemption(0n).send()))
    })
    return requireAnswer(rent)
  }

  async #readSlot(): Promise<void> {
    await this.#askNotingSlots('blockhash', async (rpc) => {
      return { slot: requireInteger(await rpc.getSlot({ commitment: 'processed' }).send()) }
    })
  }

  async #askTip(rpc: ChainRpc, endpoint: Endpoint): Promise<Tip> {
    const { context, value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
    const lastValidBlockHeight = await this.#outliers.require(endpoint, 'height', requireInteger(value.lastValidBlockHeight))
    const slot = await this.#outliers.require(endpoint, 'slot', requireInteger(context.slot))
    return { slot, blockhash: asBlockhash(value.blockhash), lastValidBlockHeight }
  }

  /** Asks one endpoint, and keeps the slot of its answer unless the chain has changed in the meantime. */
  async #askNotingSlots<T extends { slot: bigint }>(
    priority: Priority,
    ask: (rpc: ChainRpc, endpoint: Endpoint) => Promise<T>,
  ): Promise<T> {
    const seen = this.#seen
    const answer = await this.#pool.askInTurn(priority, async (rpc, endpoint) => {
      const told = await ask(rpc, endpoint)
      await this.#outliers.require(endpoint, 'slot', told.slot)
      if (told.slot > seen.slot || this.#outliers.isTooHigh('slot', seen.slot)) seen.slot = told.slot
      seen.at = this.#now()
      return told
    })
    return requireAnswer(answer)
  }
}

/** @throws Failure CHAIN_DOWN if there is no answer. */
export function requireAnswer<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Failure('CHAIN_DOWN')
  return answer
}
