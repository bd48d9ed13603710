import { type ChainIdentity, type ChainLog } from './chain-identity.ts'
import { type Endpoint, EndpointError } from './endpoint.ts'

/**
 * Reads the genesis hash of one endpoint now and then: whether it is up, and whether a chain was started anew behind a connection
 * that nobody saw break. It also brings an endpoint back into use after failures.
 */
export class EndpointProbe {
  readonly #endpoint: Endpoint
  readonly #identity: ChainIdentity
  readonly #log: ChainLog
  readonly #everyMillis: number
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #wasUp = false

  constructor(endpoint: Endpoint, identity: ChainIdentity, log: ChainLog, everyMillis: number) {
    this.#endpoint = endpoint
    this.#identity = identity
    this.#log = log
    this.#everyMillis = everyMillis
  }

  /** Begins to probe, one interval from now. */
  start(): void {
    this.#wasUp = this.#endpoint.up
    this.#probeLater()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => void this.#probe(), this.#everyMillis)
    this.#timer.unref()
  }

  async #probe(): Promise<void> {
    const endpoint = this.#endpoint
    try {
      if (endpoint.limited) endpoint.up = false
      else await this.#identity.prove(endpoint)
    } catch (error) {
      // What went wrong stands in `lastFailure` and is told once for every change. A busy queue says nothing of the endpoint.
      if (!(error instanceof EndpointError && error.kind === 'unsent')) endpoint.up = false
    }
    if (this.#stopped) return
    if (endpoint.up !== this.#wasUp) this.#tell()
    this.#wasUp = endpoint.up
    this.#probeLater()
  }

  #tell(): void {
    const { host, up, lastFailure } = this.#endpoint
    if (up) this.#log.info({ endpoint: host }, 'chain endpoint is up')
    else this.#log.warn({ endpoint: host, reason: lastFailure?.message }, 'chain endpoint is down')
  }
}
