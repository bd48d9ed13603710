import { type Signature, type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type Lamports, lamports } from '@juicebar/contract/money'
import {
  address,
  blockhash as asBlockhash,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  isSolanaError,
  signature as asSignature,
} from '@solana/kit'

import { ConfigError, type Network } from '../../config.ts'
import { AnswerCache } from '../rpc/answer-cache.ts'
import { type Chain, type FinalizedView, type LandedTransaction, type SignatureEntry, type SignatureStatus } from '../chain.ts'
import { ChainIdentity, type ChainLog, type GenesisChange } from '../rpc/chain-identity.ts'
import { type ChainRpc, Endpoint } from '../rpc/endpoint.ts'
import { EndpointProbe } from '../rpc/endpoint-probe.ts'
import { openFinalizedView } from './finalized-view.ts'
import { decodeLandedTransaction } from '../transactions/landed-transaction.ts'
import { RpcPool } from '../rpc/rpc-pool.ts'
import { betterStatus, readEntry, readStatus, STATUSES_A_CALL } from './signature-status.ts'
import { StatusBatch } from './status-batch.ts'
import { simulationError, simulationFailure } from '../transactions/simulation-failure.ts'
import { whole } from './whole-number.ts'

const PROBE_MILLIS = 2000
const BLOCKHASH_MILLIS = 1000
const BALANCE_MILLIS = 2000
/** Between two calls for statuses on endpoints that others pay for or share. */
const STATUS_PAUSE_MILLIS = 250
const RENT_MILLIS = 60 * 60 * 1000
const MAX_BALANCES = 10_000
/** Most entries that one page of `getSignaturesForAddress` holds. */
const MAX_ENTRIES = 1000
export interface ChainOptions {
  /** RPC URLs in order of preference. */
  endpoints: readonly string[]
  /** What players are told; localnet by default, so that no public cluster is ever served without being named. */
  network?: Network
  log: ChainLog
  /** Monotonic milliseconds. */
  clock?: () => number
  /** Of one attempt on one endpoint; 5000 by default. */
  timeoutMillis?: number
  /** For each endpoint; 10 by default, and 2000 for one on this machine. */
  requestsPerSecond?: number
  /** Between two looks at an endpoint; 2000 by default. */
  probeMillis?: number
}

interface BlockhashLifetime {
  blockhash: string
  lastValidBlockHeight: bigint
}

/** The chain port over one or several Solana RPC endpoints. Throws `ConfigError` where an endpoint is no http or https URL. */
export function createChain(options: ChainOptions): SolanaChain {
  return new SolanaChain(options)
}

/** The chain port over one or several Solana RPC endpoints; see `Chain` for what each call gives. */
export class SolanaChain implements Chain {
  readonly pool: RpcPool
  readonly #endpoints: readonly Endpoint[]
  readonly #identity: ChainIdentity
  readonly #probes: readonly EndpointProbe[]
  readonly #listeners = new Set<GenesisChange>()
  readonly #blockhashes: AnswerCache<BlockhashLifetime>
  readonly #rents: AnswerCache<Lamports>
  readonly #balances: AnswerCache<Lamports>
  readonly #statuses: StatusBatch
  /** The highest numbers seen on this chain; another object for another chain, so that late answers don't mix. */
  #seen = { slot: 0n, height: 0n }

  constructor(options: ChainOptions) {
    const { clock = () => performance.now(), log, network = 'localnet', probeMillis = PROBE_MILLIS } = options
    this.#endpoints = openEndpoints(options, clock)
    this.#identity = new ChainIdentity(this.#endpoints, network, log, (current, former) => this.#beginAnew(current, former))
    this.pool = new RpcPool(this.#endpoints, this.#identity)
    this.#probes = this.#endpoints.map((endpoint) => new EndpointProbe(endpoint, this.#identity, log, probeMillis))
    this.#blockhashes = new AnswerCache(clock, 1)
    this.#rents = new AnswerCache(clock, 1)
    this.#balances = new AnswerCache(clock, MAX_BALANCES)
    const statusPause = this.#endpoints.every((endpoint) => endpoint.loopback) ? 0 : STATUS_PAUSE_MILLIS
    this.#statuses = new StatusBatch((signatures) => this.#readStatuses(signatures), statusPause)
  }

  /**
   * Reads the genesis hash of every endpoint that answers and begins to watch them. Throws `ConfigError` where they serve different
   * chains, or a public cluster that is not the network of the settings. Endpoints that do not answer yet are taken in when they come
   * up, once they are proven to serve this chain.
   */
  async start(): Promise<void> {
    await this.#identity.settle()
    for (const probe of this.#probes) probe.start()
  }

  /** Stops watching; whatever still waits for its turn fails with CHAIN_DOWN. */
  async stop(): Promise<void> {
    for (const probe of this.#probes) probe.stop()
    for (const endpoint of this.#endpoints) endpoint.stop()
  }

  /** Tells when the only endpoint, one on this machine, came back with another genesis hash. Gives the function that ends it. */
  onGenesisChange(listener: GenesisChange): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async genesisHash(): Promise<string> {
    await this.pool.proveOne()
    return required(this.#identity.genesisHash)
  }

  isUp(): boolean {
    return this.#endpoints.some((endpoint) => endpoint.up)
  }

  isSaturated(): boolean {
    return this.pool.isSaturated()
  }

  balance(of: WalletAddress, { fresh = false }: { fresh?: boolean } = {}): Promise<Lamports> {
    const read = () => this.#readBalance(of)
    return fresh ? this.#balances.renew(of, BALANCE_MILLIS, read) : this.#balances.get(of, BALANCE_MILLIS, read)
  }

  rentExemptMinimum(): Promise<Lamports> {
    return this.#rents.get('rent', RENT_MILLIS, () => this.#readRent())
  }

  latestBlockhash(): Promise<BlockhashLifetime> {
    return this.#blockhashes.get('latest', BLOCKHASH_MILLIS, () => this.#readBlockhash())
  }

  async highestSlot(): Promise<bigint> {
    const seen = this.#seen
    const slots = await this.pool.askEach('blockhash', async (rpc) => whole(await rpc.getSlot({ commitment: 'processed' }).send()))
    seen.slot = highest([seen.slot, ...slots])
    return seen.slot
  }

  async highestBlockHeight(): Promise<bigint> {
    const seen = this.#seen
    const ask = async (rpc: ChainRpc) => whole(await rpc.getBlockHeight({ commitment: 'processed' }).send())
    const heights = await this.pool.askEach('release', ask)
    seen.height = highest([seen.height, ...heights])
    return seen.height
  }

  async finalized(): Promise<FinalizedView> {
    const view = await this.pool.askFirst(async (endpoint) => {
      const hash = await this.#identity.prove(endpoint)
      return await openFinalizedView(endpoint, hash, () => endpoint.proven && this.#identity.genesisHash === hash)
    })
    return failingAsDown(required(view))
  }

  async isBlockhashValid(blockhash: string): Promise<boolean> {
    const ask = async (rpc: ChainRpc) => (await rpc.isBlockhashValid(asBlockhash(blockhash), { commitment: 'processed' }).send()).value
    return (await this.pool.askEach('settlement', ask)).includes(true)
  }

  async simulate(transaction: Uint8Array): Promise<string | undefined> {
    const wire = base64Of(transaction)
    const config = { encoding: 'base64', sigVerify: true, commitment: 'confirmed' } as const
    const outcome = await this.pool.askFirst(async (endpoint) => {
      const err = await simulationError(endpoint.client('settlement').simulateTransaction(wire, config).send())
      // An endpoint that is behind does not know a fresh blockhash yet; another one may.
      return err === 'BlockhashNotFound' ? undefined : { reason: err === null ? undefined : simulationFailure(err) }
    })
    return outcome ? outcome.reason : simulationFailure('BlockhashNotFound')
  }

  async broadcast(transaction: Uint8Array): Promise<void> {
    const wire = base64Of(transaction)
    await this.pool.askEach('settlement', async (rpc) => {
      try {
        await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()
      } catch (error) {
        // The endpoint took it and said no, mostly because it knows it already: `statuses` tells.
        if (!isSolanaError(error)) throw error
      }
    })
  }

  statuses(signatures: readonly Signature[]): Promise<Map<Signature, SignatureStatus>> {
    return this.#statuses.ask(signatures)
  }

  transaction(signature: Signature): Promise<LandedTransaction | undefined> {
    const config = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 1 } as const
    return this.pool.askFirst(async (endpoint) => {
      const reply = await endpoint.client('settlement').getTransaction(asSignature(signature), config).send()
      return reply ? decodeLandedTransaction(signature, reply) : undefined
    })
  }

  async recentSignatures(of: string, sinceSlot: bigint, limit: number): Promise<SignatureEntry[]> {
    const config = { commitment: 'confirmed', limit: Math.min(limit, MAX_ENTRIES) } as const
    const ask = async (rpc: ChainRpc) => (await rpc.getSignaturesForAddress(address(of), config).send()).map(readEntry)
    const entries = (await this.pool.askEach('settlement', ask)).flat().filter((entry) => entry.slot >= sinceSlot)
    const distinct = new Map(entries.map((entry) => [entry.signature, entry]))
    return [...distinct.values()].toSorted((a, b) => Number(b.slot - a.slot)).slice(0, limit)
  }

  async #readBalance(of: WalletAddress): Promise<Lamports> {
    const balance = await this.pool.askFirst(async (endpoint) => {
      const { value } = await endpoint.client('balance').getBalance(address(of), { commitment: 'confirmed' }).send()
      return lamports(whole(value))
    })
    return required(balance)
  }

  async #readRent(): Promise<Lamports> {
    const rent = await this.pool.askFirst(async (endpoint) => {
      return lamports(whole(await endpoint.client('blockhash').getMinimumBalanceForRentExemption(0n).send()))
    })
    return required(rent)
  }

  async #readBlockhash(): Promise<BlockhashLifetime> {
    const latest = await this.pool.askFirst(async (endpoint) => {
      const { value } = await endpoint.client('blockhash').getLatestBlockhash({ commitment: 'confirmed' }).send()
      return { blockhash: asBlockhash(value.blockhash), lastValidBlockHeight: whole(value.lastValidBlockHeight) }
    })
    return required(latest)
  }

  async #readStatuses(signatures: readonly Signature[]): Promise<Map<Signature, SignatureStatus>> {
    const best = new Map<Signature, SignatureStatus>()
    const answers = await Promise.all(chunks(signatures, STATUSES_A_CALL).map((chunk) => this.#readChunk(chunk)))
    for (const [signature, status] of answers.flat()) best.set(signature, betterStatus(best.get(signature), status))
    return best
  }

  async #readChunk(signatures: readonly Signature[]): Promise<[Signature, SignatureStatus][]> {
    const answers = await this.pool.askEach('settlement', async (rpc) => {
      const config = { searchTransactionHistory: true } as const
      const { value } = await rpc.getSignatureStatuses(signatures.map(asSignature), config).send()
      if (value.length !== signatures.length) throw new Error('the endpoint left out statuses')
      return signatures.flatMap((signature, index): [Signature, SignatureStatus][] => {
        const status = value[index]
        return status ? [[signature, readStatus(status)]] : []
      })
    })
    return answers.flat()
  }

  #beginAnew(current: string, former: string): void {
    this.#seen = { slot: 0n, height: 0n }
    for (const cache of [this.#blockhashes, this.#rents, this.#balances]) cache.clear()
    for (const listener of this.#listeners) listener(current, former)
  }
}

function openEndpoints({ endpoints: urls, timeoutMillis, requestsPerSecond }: ChainOptions, now: () => number): Endpoint[] {
  if (urls.length === 0) throw new ConfigError(['SOLANA_RPC_URL names no endpoint.'])
  const hosts = urls.map(hostOf)
  const limits = { ...(timeoutMillis !== undefined && { timeoutMillis }), ...(requestsPerSecond !== undefined && { requestsPerSecond }) }
  return urls.map((url, index) => {
    const host = hosts[index] ?? ''
    const twins = hosts.slice(0, index).filter((other) => other === host).length
    return new Endpoint({ url, host: twins > 0 ? `${host} (${twins + 1})` : host, now, ...limits })
  })
}

function hostOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.host
  throw new ConfigError(['SOLANA_RPC_URL must be one or more http or https URLs, separated by commas.'])
}

/** The view with every failure of its endpoint told as CHAIN_DOWN. */
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

function required<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Failure('CHAIN_DOWN')
  return answer
}

function highest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n)
}

function base64Of(bytes: Uint8Array) {
  return getBase64EncodedWireTransaction(getTransactionDecoder().decode(bytes))
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
}
