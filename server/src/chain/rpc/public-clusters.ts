import { type Network } from '../../settings/config.ts'

/** Genesis hashes of Solana's public clusters. Source: Agave's documentation of the clusters, `--expected-genesis-hash`. */
const publicClusters: ReadonlyMap<string, Network> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'mainnet'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet'],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'testnet'],
])

/**
 * Why a chain is not the one that the settings name. Players are shown `network`, and could mistake real SOL for play money.
 *
 * @returns a sentence for the operator, without its subject; undefined if the chain may be `network`, which is true of any private chain.
 */
export function wrongCluster(genesisHash: string, network: Network): string | undefined {
  const cluster = publicClusters.get(genesisHash)
  if (cluster === undefined || cluster === network) return undefined
  return `serves ${cluster}, but reads as ${network}. Name the network in its URL, as in http://127.0.0.1:8899/?cluster=${cluster}.`
}
