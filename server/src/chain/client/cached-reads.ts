import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports, lamports } from '@juicebar/contract/money'
import { address, blockhash as asBlockhash } from '@solana/kit'

import { AnswerCache } from '../rpc/answer-cache.ts'
import { type RpcPool } from '../rpc/rpc-pool.ts'
import { requireInteger } from './require-integer.ts'

const BLOCKHASH_MILLIS = 1000
const BALANCE_MILLIS = 2000
const RENT_MILLIS = 60 * 60 * 1000
const MAX_BALANCES = 10_000

export interface BlockhashLifetime {
  blockhash: string
  lastValidBlockHeight: bigint
}

/** What many players ask alike and what may be a moment old. Every call throws CHAIN_DOWN if no endpoint answers. */
export class CachedReads {
  readonly #pool: RpcPool
  readonly #blockhashes: AnswerCache<BlockhashLifetime>
  readonly #rents: AnswerCache<Lamports>
  readonly #balances: AnswerCache<Lamports>

  /** `clock` returns monotonic milliseconds. */
  constructor(pool: RpcPool, clock: () => number) {
    this.#pool = pool
    this.#blockhashes = new AnswerCache(clock, 1)
    this.#rents = new AnswerCache(clock, 1)
    this.#balances = new AnswerCache(clock, MAX_BALANCES)
  }

  balance(of: WalletAddress, { fresh = false }: { fresh?: boolean } = {}): Promise<Lamports> {
    const read = () => this.#readBalance(of)
    return fresh ? this.#balances.refresh(of, BALANCE_MILLIS, read) : this.#balances.get(of, BALANCE_MILLIS, read)
  }

  rentExemptMinimum(): Promise<Lamports> {
    return this.#rents.get('rent', RENT_MILLIS, () => this.#readRent())
  }

  latestBlockhash(): Promise<BlockhashLifetime> {
    return this.#blockhashes.get('latest', BLOCKHASH_MILLIS, () => this.#readBlockhash())
  }

  clear(): void {
    for (const cache of [this.#blockhashes, this.#rents, this.#balances]) cache.clear()
  }

  async #readBalance(of: WalletAddress): Promise<Lamports> {
    const balance = await this.#pool.askInTurn(async (endpoint) => {
      const { value } = await endpoint.client('balance').getBalance(address(of), { commitment: 'confirmed' }).send()
      return lamports(requireInteger(value))
    })
    return requireAnswer(balance)
  }

  async #readRent(): Promise<Lamports> {
    const rent = await this.#pool.askInTurn(async (endpoint) => {
      return lamports(requireInteger(await endpoint.client('blockhash').getMinimumBalanceForRentExemption(0n).send()))
    })
    return requireAnswer(rent)
  }

  async #readBlockhash(): Promise<BlockhashLifetime> {
    const latest = await this.#pool.askInTurn(async (endpoint) => {
      const { value } = await endpoint.client('blockhash').getLatestBlockhash({ commitment: 'confirmed' }).send()
      return { blockhash: asBlockhash(value.blockhash), lastValidBlockHeight: requireInteger(value.lastValidBlockHeight) }
    })
    return requireAnswer(latest)
  }
}

/** @throws Failure CHAIN_DOWN if there is no answer. */
export function requireAnswer<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Failure('CHAIN_DOWN')
  return answer
}
