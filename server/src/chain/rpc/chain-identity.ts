import { blockhash as asBlockhash } from '@solana/kit'
import { type Logger } from 'pino'

import { ConfigError, type Network } from '../../config.ts'
import { type Endpoint, EndpointError } from './endpoint.ts'
import { wrongCluster } from './public-clusters.ts'

export type ChainLog = Pick<Logger, 'info' | 'warn' | 'error'>
export type GenesisChange = (current: string, former: string) => void

/** Which chain we are on: its genesis hash, and the proof that an endpoint serves it. */
export class ChainIdentity {
  readonly #endpoints: readonly Endpoint[]
  readonly #network: Network
  readonly #log: ChainLog
  readonly #onChange: GenesisChange
  readonly #underWay = new Map<Endpoint, Promise<string>>()
  #genesisHash: string | undefined

  /** `network` is what players are told. `onChange` hears of a new genesis hash, not of the first one. */
  constructor(endpoints: readonly Endpoint[], network: Network, log: ChainLog, onChange: GenesisChange) {
    this.#endpoints = endpoints
    this.#network = network
    this.#log = log
    this.#onChange = onChange
  }

  /** The chain's genesis hash; undefined where no endpoint could be asked yet. */
  get genesisHash(): string | undefined {
    return this.#genesisHash
  }

  /**
   * Reads the genesis hash of every endpoint that answers. Throws `ConfigError` where two of them differ, or where one is of a
   * public cluster other than the network of the settings; none that answers at all is no error: the first one to come up tells which
   * chain this is.
   */
  async settle(): Promise<void> {
    const found = new Map<Endpoint, string>()
    const read = async (endpoint: Endpoint) => void found.set(endpoint, await readGenesisHash(endpoint))
    await Promise.allSettled(this.#endpoints.map(read))
    if (new Set(found.values()).size > 1) {
      const list = [...found].map(([endpoint, hash]) => `${endpoint.host} (${hash})`).join(', ')
      throw new ConfigError([`SOLANA_RPC_URL names endpoints of different chains: ${list}. All of them must be of one chain.`])
    }
    const problems = [...found].flatMap(([{ host }, hash]) => {
      const wrong = wrongCluster(hash, this.#network)
      return wrong === undefined ? [] : [`SOLANA_RPC_URL: ${host} ${wrong}`]
    })
    if (problems.length > 0) throw new ConfigError(problems)
    for (const endpoint of this.#endpoints) {
      const hash = found.get(endpoint)
      if (hash !== undefined) this.#judge(endpoint, hash)
      else this.#log.warn({ endpoint: endpoint.host, reason: endpoint.lastFailure?.message }, 'chain endpoint does not answer yet')
    }
  }

  /** Reads the endpoint's genesis hash and gives it where it is ours. Throws `EndpointError` where it can't be read or is another. */
  prove(endpoint: Endpoint): Promise<string> {
    const underWay = this.#underWay.get(endpoint)
    if (underWay) return underWay
    const proof = readGenesisHash(endpoint)
      .then((hash) => this.#judge(endpoint, hash))
      .finally(() => this.#underWay.delete(endpoint))
    this.#underWay.set(endpoint, proof)
    return proof
  }

  #judge(endpoint: Endpoint, hash: string): string {
    const wrong = wrongCluster(hash, this.#network)
    if (wrong !== undefined) throw this.#leaveOut(endpoint, wrong)
    const ours = this.#genesisHash
    if (ours !== undefined && ours !== hash && !this.#mayStartAnew(endpoint))
      throw this.#leaveOut(endpoint, `serves another chain (${hash}, not ${ours}).`)
    endpoint.foreign = false
    endpoint.proven = true
    endpoint.up = true
    if (ours === hash) return hash
    this.#genesisHash = hash
    this.#log.info({ endpoint: endpoint.host, hash, former: ours }, ours === undefined ? 'chain found' : 'chain was started anew')
    if (ours !== undefined) this.#onChange(hash, ours)
    return hash
  }

  #leaveOut(endpoint: Endpoint, reason: string): EndpointError {
    if (!endpoint.foreign) this.#log.error({ endpoint: endpoint.host }, `chain endpoint left out: it ${reason}`)
    return endpoint.exclude(reason)
  }

  /** Only a local chain on this machine is ever started anew. Any other that looks so is the wrong one: ending every hold would be wrong. */
  #mayStartAnew(endpoint: Endpoint): boolean {
    return endpoint.loopback && this.#network === 'localnet' && this.#endpoints.length === 1
  }
}

async function readGenesisHash(endpoint: Endpoint): Promise<string> {
  try {
    return asBlockhash(await endpoint.client('blockhash').getGenesisHash().send())
  } catch (error) {
    if (error instanceof EndpointError) throw error
    throw new EndpointError(endpoint.host, 'broken', 'does not tell its genesis hash')
  }
}
