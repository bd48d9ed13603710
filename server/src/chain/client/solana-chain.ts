import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports } from '@juicebar/contract/money'
import {
  address,
  blockhash as asBlockhash,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  isSolanaError,
  signature as asSignature,
} from '@solana/kit'

import { type Network } from '../../config.ts'
import { type Chain, type FinalizedView, type LandedTransaction, type SignatureEntry, type SignatureStatus } from '../chain.ts'
import { ChainIdentity, type ChainLog, type GenesisListener } from '../rpc/chain-identity.ts'
import { EndpointProbe } from '../rpc/endpoint-probe.ts'
import { type ChainRpc, type Endpoint } from '../rpc/endpoint.ts'
import { RpcPool } from '../rpc/rpc-pool.ts'
import { decodeLandedTransaction } from '../transactions/landed-transaction.ts'
import { simulationError, simulationFailure } from '../transactions/simulation-failure.ts'
import { type BlockhashLifetime, CachedReads, requireAnswer } from './cached-reads.ts'
import { openFinalizedView } from './finalized-view.ts'
import { openEndpoints } from './open-endpoints.ts'
import { readStatuses } from './read-statuses.ts'
import { requireInteger } from './require-integer.ts'
import { readEntry } from './signature-status.ts'
import { StatusBatch } from './status-batch.ts'

const PROBE_MILLIS = 2000
/** Between two requests for statuses, on endpoints that cost money or are shared. */
const STATUS_PAUSE_MILLIS = 250
/** Most entries in one page of `getSignaturesForAddress`. */
const MAX_ENTRIES = 1000

export interface ChainOptions {
  /** RPC URLs in order of preference. */
  endpoints: readonly string[]
  /** What players are told. Localnet by default, so that no public cluster is ever served without being named. */
  network?: Network
  log: ChainLog
  /** Returns monotonic milliseconds. */
  clock?: () => number
  /** Of one attempt on one endpoint; 5000 by default. */
  timeoutMillis?: number
  /** For each endpoint; 10 by default, and 2000 for one on this machine. */
  requestsPerSecond?: number
  /** Between two probes of an endpoint; 2000 by default. */
  probeMillis?: number
}

/**
 * The chain port over one or more Solana RPC endpoints. It asks nothing before it is used or started.
 *
 * @throws ConfigError if there is no URL, or one is not http or https.
 */
export function createChain(options: ChainOptions): SolanaChain {
  return new SolanaChain(options)
}

/** The chain port over one or more Solana RPC endpoints; `Chain` says what each call returns. */
export class SolanaChain implements Chain {
  readonly pool: RpcPool
  readonly #endpoints: readonly Endpoint[]
  readonly #identity: ChainIdentity
  readonly #probes: readonly EndpointProbe[]
  readonly #listeners = new Set<GenesisListener>()
  readonly #cached: CachedReads
  readonly #statuses: StatusBatch
  /** The highest numbers seen on this chain. Replaced when the chain changes, so that late answers of the former one are not counted. */
  #highest = { slot: 0n, height: 0n }

  constructor(options: ChainOptions) {
    const { endpoints: urls, clock = () => performance.now(), log, network = 'localnet', probeMillis = PROBE_MILLIS, ...limits } = options
    this.#endpoints = openEndpoints(urls, { ...limits, now: clock })
    this.#identity = new ChainIdentity(this.#endpoints, network, log, (current, former) => this.#reset(current, former))
    this.pool = new RpcPool(this.#endpoints, this.#identity)
    this.#probes = this.#endpoints.map((endpoint) => new EndpointProbe(endpoint, this.#identity, log, probeMillis))
    this.#cached = new CachedReads(this.pool, clock)
    const statusPause = this.#endpoints.every((endpoint) => endpoint.loopback) ? 0 : STATUS_PAUSE_MILLIS
    this.#statuses = new StatusBatch((signatures) => readStatuses(this.pool, signatures), statusPause)
  }

  /**
   * Reads the genesis hash of every endpoint that answers, and starts probing all of them. One that does not answer yet is used as soon
   * as it comes up and has proven to serve this chain.
   *
   * @throws ConfigError if endpoints serve different chains, or a public cluster that is not the network of the settings.
   */
  async start(): Promise<void> {
    await this.#identity.identify()
    for (const probe of this.#probes) probe.start()
  }

  /** Stops probing; requests that still wait for their turn fail with CHAIN_DOWN. */
  async stop(): Promise<void> {
    for (const probe of this.#probes) probe.stop()
    for (const endpoint of this.#endpoints) endpoint.stop()
  }

  /**
   * Calls `listener` whenever the local chain was reset: the only endpoint, one on this machine, has another genesis hash.
   *
   * @returns a function that removes the listener.
   */
  onGenesisChange(listener: GenesisListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async genesisHash(): Promise<string> {
    await this.pool.proveOne()
    return requireAnswer(this.#identity.genesisHash)
  }

  isUp(): boolean {
    return this.#endpoints.some((endpoint) => endpoint.up)
  }

  isSaturated(): boolean {
    return this.pool.isSaturated()
  }

  balance(of: WalletAddress, options?: { fresh?: boolean }): Promise<Lamports> {
    return this.#cached.balance(of, options)
  }

  rentExemptMinimum(): Promise<Lamports> {
    return this.#cached.rentExemptMinimum()
  }

  latestBlockhash(): Promise<BlockhashLifetime> {
    return this.#cached.latestBlockhash()
  }

  async highestSlot(): Promise<bigint> {
    const seen = this.#highest
    const ask = async (rpc: ChainRpc) => requireInteger(await rpc.getSlot({ commitment: 'processed' }).send())
    const slots = await this.pool.askAll('blockhash', ask)
    seen.slot = highest([seen.slot, ...slots])
    return seen.slot
  }

  async highestBlockHeight(): Promise<bigint> {
    const seen = this.#highest
    const ask = async (rpc: ChainRpc) => requireInteger(await rpc.getBlockHeight({ commitment: 'processed' }).send())
    const heights = await this.pool.askAll('release', ask)
    seen.height = highest([seen.height, ...heights])
    return seen.height
  }

  async finalized(): Promise<FinalizedView> {
    const view = await this.pool.askInTurn(async (endpoint) => {
      const hash = await this.#identity.prove(endpoint)
      return await openFinalizedView(endpoint, hash, () => endpoint.proven && this.#identity.genesisHash === hash)
    })
    return failingAsDown(requireAnswer(view))
  }

  async isBlockhashValid(blockhash: string): Promise<boolean> {
    const ask = async (rpc: ChainRpc) => (await rpc.isBlockhashValid(asBlockhash(blockhash), { commitment: 'processed' }).send()).value
    return (await this.pool.askAll('settlement', ask)).includes(true)
  }

  async simulate(transactionBytes: Uint8Array): Promise<string | undefined> {
    const base64Transaction = encodeBase64(transactionBytes)
    const config = { encoding: 'base64', sigVerify: true, commitment: 'confirmed' } as const
    const outcome = await this.pool.askInTurn(async (endpoint) => {
      const error = await simulationError(endpoint.client('settlement').simulateTransaction(base64Transaction, config).send())
      // An endpoint that is behind does not know a fresh blockhash yet; another one may.
      return error === 'BlockhashNotFound' ? undefined : { reason: error === null ? undefined : simulationFailure(error) }
    })
    return outcome ? outcome.reason : simulationFailure('BlockhashNotFound')
  }

  async broadcast(transactionBytes: Uint8Array): Promise<void> {
    const base64Transaction = encodeBase64(transactionBytes)
    await this.pool.askAll('settlement', async (rpc) => {
      try {
        await rpc.sendTransaction(base64Transaction, { encoding: 'base64', skipPreflight: true }).send()
      } catch (error) {
        // The endpoint refused it, mostly because it has it already: `statuses` tells what became of it.
        if (!isSolanaError(error)) throw error
      }
    })
  }

  statuses(signatures: readonly Signature[]): Promise<Map<Signature, SignatureStatus>> {
    return this.#statuses.ask(signatures)
  }

  transaction(signature: Signature): Promise<LandedTransaction | undefined> {
    const config = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 1 } as const
    return this.pool.askInTurn(async (endpoint) => {
      const reply = await endpoint.client('settlement').getTransaction(asSignature(signature), config).send()
      return reply ? decodeLandedTransaction(signature, reply) : undefined
    })
  }

  async recentSignatures(of: string, sinceSlot: bigint, limit: number): Promise<SignatureEntry[]> {
    const config = { commitment: 'confirmed', limit: Math.min(limit, MAX_ENTRIES) } as const
    const ask = async (rpc: ChainRpc) => (await rpc.getSignaturesForAddress(address(of), config).send()).map(readEntry)
    const entries = (await this.pool.askAll('settlement', ask)).flat().filter((entry) => entry.slot >= sinceSlot)
    const distinct = new Map(entries.map((entry) => [entry.signature, entry]))
    return [...distinct.values()].toSorted((a, b) => Number(b.slot - a.slot)).slice(0, limit)
  }

  #reset(current: string, former: string): void {
    this.#highest = { slot: 0n, height: 0n }
    this.#cached.clear()
    for (const listener of this.#listeners) listener(current, former)
  }
}

/** The same view, with every failure of its endpoint as CHAIN_DOWN. */
function failingAsDown(view: FinalizedView): FinalizedView {
  return {
    ...view,
    signaturesFor: (of, sinceSlot) => view.signaturesFor(of, sinceSlot).catch(throwDown),
    statusOf: (signature) => view.statusOf(signature).catch(throwDown),
  }
}

function throwDown(cause: unknown): never {
  throw new Failure('CHAIN_DOWN', { cause })
}

function highest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n)
}

function encodeBase64(transactionBytes: Uint8Array) {
  return getBase64EncodedWireTransaction(getTransactionDecoder().decode(transactionBytes))
}
