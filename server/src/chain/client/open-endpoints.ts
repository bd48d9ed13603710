import { ConfigError } from '../../settings/config-error.ts'
import { Endpoint, type EndpointOptions } from '../rpc/endpoint.ts'

interface PoolOptions extends Omit<EndpointOptions, 'url' | 'host' | 'requestsPerSecond'> {
  /** One number for each of the endpoints, or one for all; without one, the endpoint's own default counts. */
  requestsPerSecond?: number | readonly number[] | undefined
}

/**
 * Opens an endpoint for each RPC URL, named by its host; a number distinguishes two on one host.
 *
 * @throws ConfigError if there is no URL, or one is not http or https.
 */
export function openEndpoints(urls: readonly string[], { requestsPerSecond = [], ...options }: PoolOptions): Endpoint[] {
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
