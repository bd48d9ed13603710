import { Outage } from '../../logging/outage.ts'
import { type ChainIdentity, type ChainLog } from './chain-identity.ts'
import { EndpointError, isUnsent } from './endpoint-error.ts'
import { type Endpoint } from './endpoint.ts'
import { paceMillis } from './pace.ts'

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
      if (endpoint.rateLimited) endpoint.up = false
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
    const { up, foreign, lastFailure, failures } = this.#endpoint
    if (up) this.#outage.worked()
    else if (!foreign) this.#outage.failed(lastFailure?.message ?? 'it does not answer', failures - this.#toldFailures)
    this.#toldFailures = failures
  }
}
