import { blockhash as asBlockhash } from '@solana/kit'
import { type Logger } from 'pino'
import { ConfigError, type Network } from '../../settings/setting-reader.ts'
import { EndpointError, isUnsent } from './rpc-reply.ts'
import { type Endpoint } from './endpoint.ts'
import { Outage } from '../../runtime/outage.ts'
import { paceMillis } from './request-queue.ts'

export type ChainLog = Pick<Logger, 'info' | 'warn' | 'error'>
export type GenesisListener = (current: string, former: string) => void

/** Genesis hashes of Solana's public clusters. Source: Agave's documentation of the clusters, `--expected-genesis-hash`. */
const publicClusters: ReadonlyMap<string, Network> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'mainnet'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet'],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'testnet'],
])

/** Which chain this is: its genesis hash, and the proof that an endpoint serves it. */
export class ChainIdentity {
  readonly #endpoints: readonly Endpoint[]
  readonly #network: Network
  readonly #log: ChainLog
  readonly #onChange: GenesisListener
  readonly #proofsInFlight = new Map<Endpoint, Promise<string>>()
  #genesisHash: string | undefined

  /** `network` is what players are shown. `onChange` is called for each new genesis hash except the first. */
  constructor(endpoints: readonly Endpoint[], network: Network, log: ChainLog, onChange: GenesisListener) {
    this.#endpoints = endpoints
    this.#network = network
    this.#log = log
    this.#onChange = onChange
  }

  /** The chain's genesis hash; undefined until an endpoint has answered. */
  get genesisHash(): string | undefined {
    return this.#genesisHash
  }

  /** Whether it is one of Solana's public clusters, by its genesis hash; also true until an endpoint has answered. */
  get isPublic(): boolean {
    return this.#genesisHash === undefined || publicClusters.has(this.#genesisHash)
  }

  /**
   * Reads the genesis hash of every endpoint that answers. If none does, the first one to come up determines the chain.
   *
   * @throws ConfigError if two endpoints serve different chains, or one serves another public cluster than the settings name.
   */
  async identify(): Promise<void> {
    const found = new Map<Endpoint, string>()
    const read = async (endpoint: Endpoint) => void found.set(endpoint, await readGenesisHash(endpoint))
    await Promise.allSettled(this.#endpoints.map(read))
    if (new Set(found.values()).size > 1) {
      const list = [...found].map(([endpoint, hash]) => `${endpoint.host} (${hash})`).join(', ')
      throw new ConfigError([`SOLANA_RPC_URL names endpoints of different chains: ${list}. All of them must be on one chain.`])
    }
    const problems = [...found].flatMap(([{ host }, hash]) => {
      const wrong = wrongCluster(hash, this.#network)
      return wrong === undefined ? [] : [`SOLANA_RPC_URL: ${host} ${wrong}`]
    })
    if (problems.length > 0) throw new ConfigError(problems)
    for (const endpoint of this.#endpoints) {
      const hash = found.get(endpoint)
      if (hash !== undefined) this.#verify(endpoint, hash)
    }
  }

  /**
   * Reads the endpoint's genesis hash and verifies that it serves our chain.
   *
   * @returns that hash.
   * @throws EndpointError if it cannot be read or is another chain's.
   */
  prove(endpoint: Endpoint): Promise<string> {
    const inFlight = this.#proofsInFlight.get(endpoint)
    if (inFlight) return inFlight
    const proof = readGenesisHash(endpoint)
      .then((hash) => this.#verify(endpoint, hash))
      .finally(() => this.#proofsInFlight.delete(endpoint))
    this.#proofsInFlight.set(endpoint, proof)
    return proof
  }

  #verify(endpoint: Endpoint, hash: string): string {
    const wrong = wrongCluster(hash, this.#network)
    if (wrong !== undefined) throw this.#exclude(endpoint, wrong)
    const former = this.#genesisHash
    if (former !== undefined && former !== hash && !this.#mayBeReset(endpoint)) {
      throw this.#exclude(endpoint, `serves another chain (${hash}, not ${former}).`)
    }
    endpoint.confirmChain()
    if (former === hash) return hash
    this.#genesisHash = hash
    if (former === undefined) {
      this.#log.info({ endpoint: endpoint.host, genesisHash: hash }, 'the chain is identified')
    } else {
      this.#log.info({ endpoint: endpoint.host, genesisHash: hash, former }, 'the local chain was reset')
      this.#onChange(hash, former)
    }
    return hash
  }

  #exclude(endpoint: Endpoint, reason: string): EndpointError {
    if (!endpoint.foreign) this.#log.error({ endpoint: endpoint.host, reason }, 'a chain endpoint is excluded')
    return endpoint.exclude(reason)
  }

  /**
   * Only a local chain on this machine is ever reset. Elsewhere, a new hash means the wrong chain, and every hold would end without reason.
   */
  #mayBeReset(endpoint: Endpoint): boolean {
    return endpoint.loopback && this.#network === 'localnet' && this.#endpoints.length === 1
  }
}

async function readGenesisHash(endpoint: Endpoint): Promise<string> {
  try {
    return asBlockhash(await endpoint.client('settlement').getGenesisHash().send())
  } catch (error) {
    if (error instanceof EndpointError) throw error
    throw new EndpointError(endpoint.host, 'broken', 'does not return its genesis hash')
  }
}

/**
 * Why a chain is not the one that the settings name. Players are shown `network`, and could mistake real SOL for play money.
 *
 * @returns a sentence for the operator, without its subject; undefined if the chain may be `network`, which is true of any private chain.
 */
function wrongCluster(genesisHash: string, network: Network): string | undefined {
  const cluster = publicClusters.get(genesisHash)
  if (cluster === undefined || cluster === network) return undefined
  return `serves ${cluster}, but reads as ${network}. Name the network in its URL, as in http://127.0.0.1:8899/?cluster=${cluster}.`
}

/** How much of an endpoint's budget its probes may take. */
const PROBE_SHARE = 0.025

/**
 * Reads one endpoint's genesis hash periodically: to know whether it is up, to bring it back into use after failures, and to notice a
 * local chain that was reset behind a connection that never broke.
 */
export class EndpointProbe {
  readonly #endpoint: Endpoint
  readonly #identity: ChainIdentity
  readonly #outage: Outage
  readonly #intervalMillis: number
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #toldFailures = 0

  constructor(endpoint: Endpoint, identity: ChainIdentity, log: ChainLog, intervalMillis: number) {
    this.#endpoint = endpoint
    this.#identity = identity
    const fields = { endpoint: endpoint.host }
    this.#outage = new Outage({ log, fields, began: 'a chain endpoint is down', ended: 'a chain endpoint is up again' })
    this.#intervalMillis = intervalMillis
  }

  /** Probes from one interval from now on. */
  start(): void {
    this.#tell()
    this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    const pace = paceMillis(this.#endpoint.perSecond, { share: PROBE_SHARE, leastMillis: this.#intervalMillis })
    this.#timer = setTimeout(() => void this.#probe(), Math.max(this.#intervalMillis, pace))
    this.#timer.unref()
  }

  async #probe(): Promise<void> {
    const endpoint = this.#endpoint
    try {
      if (endpoint.backoff.rateLimited) endpoint.up = false
      else await this.#identity.prove(endpoint)
    } catch (error) {
      // The reason is in `lastFailure`. A request that was never sent says nothing about the endpoint.
      if (!(error instanceof EndpointError && isUnsent(error))) endpoint.up = false
    }
    if (this.#stopped) return
    this.#tell()
    this.#schedule()
  }

  /** An endpoint of a different chain is excluded, which is reported elsewhere. */
  #tell(): void {
    const { up, foreign, backoff, failures } = this.#endpoint
    if (up) this.#outage.worked()
    else if (!foreign) this.#outage.failed(backoff.lastFailure?.message ?? 'it does not answer', failures - this.#toldFailures)
    this.#toldFailures = failures
  }
}
