import {
  type Base64EncodedWireTransaction,
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
  address,
  signature as asSignature,
} from '@solana/kit'
import { LRUCache } from 'lru-cache'
import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { type Lamports } from '@juicebar/contract/money'
import { ConfigError, type Network } from '../../settings/setting-reader.ts'
import { Endpoint, type EndpointOptions, type ChainRpc } from '../rpc/endpoint.ts'
import { RpcPool } from '../rpc/rpc-pool.ts'
import {
  type Chain,
  type ChainBudget,
  type FinalizedView,
  type LandedTransaction,
  type ReadOptions,
  type SignatureEntry,
  type SignatureStatus,
  type Simulation,
  type SlotsTold,
  type SimulationOptions,
} from '../chain.ts'
import { AnswerCache } from '../rpc/answer-cache.ts'
import { ChainIdentity, type ChainLog, type GenesisListener, EndpointProbe } from '../rpc/endpoint-probe.ts'
import { paceMillis, SLOT_MILLIS } from '../rpc/request-queue.ts'
import { EndpointError, isUnsent } from '../rpc/rpc-reply.ts'
import { wireTransaction } from '../transactions/message.ts'
import { FinalizedHeight, Outliers, requireInteger } from './finalized-height.ts'
import { openFinalizedView, PAGE_SIZE } from './finalized-view.ts'
import { readTransaction, type BlockhashLifetime, requireAnswer, SharedReads } from './shared-reads.ts'
import { Simulations } from './simulations.ts'
import { newestEntries, readEntry, readSlotsTold, StatusReads } from './statuses.ts'

interface PoolOptions extends Omit<EndpointOptions, 'url' | 'host' | 'requestsPerSecond'> {
  /** One number for each of the endpoints, or one for all; without one, the endpoint's own default counts. */
  requestsPerSecond?: number | readonly number[] | undefined
}

/**
 * Opens an endpoint for each RPC URL, named by its host; a number distinguishes two on one host.
 *
 * @throws ConfigError if there is no URL, or one is not http or https.
 */
function openEndpoints(urls: readonly string[], { requestsPerSecond = [], ...options }: PoolOptions): Endpoint[] {
  if (urls.length === 0) throw new ConfigError(['SOLANA_RPC_URL names no endpoint.'])
  const hosts = urls.map(hostOf)
  return urls.map((url, index) => {
    const host = hosts[index] ?? ''
    const before = hosts.slice(0, index).filter((other) => other === host).length
    const perSecond = typeof requestsPerSecond === 'number' ? requestsPerSecond : requestsPerSecond[index]
    return new Endpoint({ ...options, requestsPerSecond: perSecond, url, host: before > 0 ? `${host} (${before + 1})` : host })
  })
}

function hostOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.host
  throw new ConfigError(['SOLANA_RPC_URL must be one or more http or https URLs, separated by commas.'])
}

/** Transactions whose last endpoint is remembered. A forgotten one may be sent again through the same. */
const MAX_REMEMBERED = 2000

/** Sends transactions, each time through a different endpoint than before, because one may have dropped it. */
export class Broadcaster {
  readonly #pool: RpcPool
  readonly #sentThrough = new LRUCache<string, Endpoint>({ max: MAX_REMEMBERED })

  constructor(pool: RpcPool) {
    this.#pool = pool
  }

  /** @throws Failure CHAIN_DOWN or CHAIN_BUSY if no endpoint took it. */
  async send(transaction: Base64EncodedWireTransaction): Promise<void> {
    const endpoint = await this.#pool.askInTurn(
      'payment',
      async (rpc, asked) => {
        try {
          // Reconciliation sends it again; an RPC node that does so as well would only spend its own budget.
          await rpc.sendTransaction(transaction, { encoding: 'base64', skipPreflight: true, maxRetries: 0n }).send()
        } catch (error) {
          // The endpoint refused it, usually because it already has it: `statuses` shows the outcome.
          if (!isSolanaError(error) || couldNotSend(error)) throw error
        }
        return asked
      },
      { last: this.#sentThrough.get(transaction) },
    )
    if (endpoint) this.#sentThrough.set(transaction, endpoint)
  }
}

/** This says something about the endpoint, not about the transaction. */
function couldNotSend(error: unknown): boolean {
  return (
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR) ||
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND) ||
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY)
  )
}

const PROBE_MILLIS = 2000
/** How much of the budget goes into opening views of the finalized chain: each takes three requests. */
const VIEWS = { share: 0.015, leastMillis: SLOT_MILLIS }
/** How long other endpoints are preferred to one whose view failed. */
const FAILED_VIEW_MILLIS = 60_000
const TRANSACTIONS = { share: 1, leastMillis: 2000 }
const MAX_TRANSACTIONS = 1000
/** The newest height counts only so far above the finalized one: what was signed there expires 150 blocks, and a margin, later. */
const MOST_HEIGHT_AHEAD = 130n

export interface ChainOptions {
  /** RPC URLs in order of preference. */
  endpoints: readonly string[]
  /** The network that players are shown. Localnet by default, so that a public cluster is never served without being named. */
  network?: Network
  log: ChainLog
  /** Returns monotonic milliseconds. */
  clock?: () => number
  /** Of one attempt on one endpoint; 5000 by default. */
  timeoutMillis?: number
  /** Requests a second: one number for each endpoint, or one for all; 10 by default, and 2000 for one on this machine. */
  requestsPerSecond?: number | readonly number[] | undefined
  /** Between two probes of an endpoint; 2000 by default. */
  probeMillis?: number
  /** Signatures in one page of an address's history; 1000 by default, which is the most. */
  pageSize?: number
}

/**
 * The chain port over one or more Solana RPC endpoints. It sends no requests before it is used or started.
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
  readonly #outliers: Outliers
  readonly #finalizedHeight: FinalizedHeight
  readonly #shared: SharedReads
  readonly #statuses: StatusReads
  readonly #simulations: Simulations
  readonly #broadcaster: Broadcaster
  readonly #views: AnswerCache<FinalizedView>
  /** Confirm calls and reconciliation read the same transaction within a moment. */
  readonly #transactions: AnswerCache<LandedTransaction | undefined>
  /** The endpoint whose view failed last, for a minute. It may have the most spare budget, and answer everything but histories. */
  readonly #failedView = new LRUCache<'endpoint', Endpoint>({ max: 1, ttl: FAILED_VIEW_MILLIS })
  readonly #pageSize: number
  /** The highest block height seen on this chain. Replaced when the chain changes, so that late answers from the old chain do not count. */
  #highest = { height: 0n }

  constructor(options: ChainOptions) {
    const { endpoints: urls, clock = () => performance.now(), log, network = 'localnet', ...others } = options
    const { probeMillis = PROBE_MILLIS, pageSize = PAGE_SIZE, ...limits } = others
    this.#pageSize = pageSize
    this.#endpoints = openEndpoints(urls, { ...limits, now: clock })
    this.#identity = new ChainIdentity(this.#endpoints, network, log, (current, former) => this.#reset(current, former))
    this.pool = new RpcPool(this.#endpoints, this.#identity)
    this.#probes = this.#endpoints.map((endpoint) => new EndpointProbe(endpoint, this.#identity, log, probeMillis))
    this.#outliers = new Outliers(this.pool, log, clock)
    this.#finalizedHeight = new FinalizedHeight(this.pool, this.#outliers, clock)
    this.#shared = new SharedReads(this.pool, this.#finalizedHeight, this.#outliers, clock)
    this.#statuses = new StatusReads(this.pool, (signature) => this.transaction(signature))
    this.#simulations = new Simulations(this.pool, this.#shared, this.#outliers)
    this.#broadcaster = new Broadcaster(this.pool)
    this.#views = new AnswerCache(clock, 1)
    this.#transactions = new AnswerCache(clock, MAX_TRANSACTIONS)
  }

  /**
   * Reads the genesis hash of every endpoint that answers, and starts probing all of them. An endpoint that does not answer yet is used as
   * soon as it is up and has proved that it serves this chain.
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

  endpoints(): readonly string[] {
    return this.#endpoints.filter((endpoint) => !endpoint.foreign).map((endpoint) => endpoint.host)
  }

  isWhole(...about: readonly string[]): boolean {
    return this.pool.isWhole(about)
  }

  isSaturated(): boolean {
    return this.pool.isSaturated()
  }

  hasSpare(): boolean {
    return this.pool.hasSpare()
  }

  budget(): ChainBudget {
    return { perSecond: this.pool.perSecond, backlogSeconds: this.pool.backlogSeconds('balance') }
  }

  balance(of: WalletAddress, options?: { fresh?: boolean }): Promise<Lamports> {
    return this.#shared.balance(of, options)
  }

  rentExemptMinimum(): Promise<Lamports> {
    return this.#shared.rentExemptMinimum()
  }

  latestBlockhash(): Promise<BlockhashLifetime> {
    return this.#shared.latestBlockhash()
  }

  highestSlot(): Promise<bigint> {
    return this.#shared.highestSlot()
  }

  reachedSlot(): Promise<bigint> {
    return this.#shared.reachedSlot()
  }

  async highestBlockHeight(): Promise<bigint> {
    const seen = this.#highest
    const ask = async (rpc: ChainRpc, endpoint: Endpoint) => {
      const height = requireInteger(await rpc.getBlockHeight({ commitment: 'processed' }).send())
      return this.#outliers.require(endpoint, 'height', height)
    }
    const told = (await this.pool.askAll('release', ask)).reduce((most, height) => (height > most ? height : most))
    if (this.#outliers.isTooHigh('height', seen.height)) seen.height = 0n
    const height = told > seen.height ? await this.#finalizedHeight.bound(told, MOST_HEIGHT_AHEAD) : told
    if (height > seen.height) seen.height = height
    return seen.height
  }

  expiryHeight(slot: bigint): Promise<bigint> {
    return this.#shared.expiryHeight(slot)
  }

  finalized({ except }: { except?: ReadonlySet<string> } = {}): Promise<FinalizedView> {
    if (except) return this.#openView(except)
    // Requests on an older view are read now, and checked to be no older than the view.
    return this.#views.get('finalized', paceMillis(this.pool.perSecond, VIEWS), () => this.#openView())
  }

  async #openView(except?: ReadonlySet<string>): Promise<FinalizedView> {
    const ask = async (_: ChainRpc, endpoint: Endpoint) => {
      if (except?.has(endpoint.host)) return undefined
      const genesisHash = await this.#identity.prove(endpoint)
      const isSameChain = () => endpoint.proven && this.#identity.genesisHash === genesisHash
      // Whatever had no room was never asked.
      const onFailure = (cause: unknown) => {
        if (!(cause instanceof EndpointError && isUnsent(cause))) this.#failedView.set('endpoint', endpoint)
      }
      const view = await openFinalizedView(endpoint, { genesisHash, isSameChain, onFailure, pageSize: this.#pageSize })
      await this.#outliers.require(endpoint, 'slot', view.slot)
      await this.#outliers.require(endpoint, 'height', view.height)
      return view
    }
    return requireAnswer(await this.pool.askInTurn('release', ask, { last: this.#failedView.get('endpoint') }))
  }

  simulate(transactionBytes: Uint8Array, options?: SimulationOptions): Promise<Simulation> {
    return this.#simulations.simulate(transactionBytes, options)
  }

  broadcast(transactionBytes: Uint8Array): Promise<void> {
    return this.#broadcaster.send(wireTransaction(transactionBytes))
  }

  statuses(signatures: readonly Signature[], options?: ReadOptions): Promise<Map<Signature, SignatureStatus>> {
    return this.#statuses.read(signatures, options)
  }

  finality(signatures: readonly Signature[]): Promise<Map<Signature, SignatureStatus>> {
    return this.#statuses.readFinality(signatures)
  }

  landedSlots(signature: Signature, { candidate = false }: ReadOptions = {}): Promise<SlotsTold> {
    return readSlotsTold(this.pool, this.#outliers, signature, candidate ? 'candidate' : 'settlement')
  }

  async transaction(signature: Signature, { spare = false, candidate = false }: ReadOptions = {}): Promise<LandedTransaction | undefined> {
    if (spare) return readTransaction(this.pool, signature, 'spare')
    const pause = paceMillis(this.pool.perSecond, TRANSACTIONS)
    const landed = await this.#transactions.get(signature, pause, () =>
      readTransaction(this.pool, signature, candidate ? 'candidate' : 'settlement'),
    )
    if (!landed) this.#transactions.delete(signature)
    return landed
  }

  async recentSignatures(
    of: string,
    sinceSlot: bigint,
    limit: number,
    { spare = false, everywhere = false, before }: ReadOptions = {},
  ): Promise<SignatureEntry[]> {
    const config = { commitment: 'confirmed', limit: Math.min(limit, PAGE_SIZE), ...(before && { before: asSignature(before) }) } as const
    const ask = async (rpc: ChainRpc) => (await rpc.getSignaturesForAddress(address(of), config).send()).map(readEntry)
    const priority = spare ? 'spare' : 'release'
    if (!everywhere) return newestEntries(requireAnswer(await this.pool.askInTurn(priority, ask)), sinceSlot).slice(0, limit)
    const lists = await this.pool.askAll(priority, ask, { about: [of] })
    // None is cut: one endpoint could fill the whole with entries that it invents.
    return newestEntries(lists.flat(), sinceSlot)
  }

  #reset(current: string, former: string): void {
    this.#highest = { height: 0n }
    this.#outliers.clear()
    this.#finalizedHeight.clear()
    this.#shared.clear()
    for (const cache of [this.#views, this.#transactions]) cache.clear()
    for (const listener of this.#listeners) listener(current, former)
  }
}
