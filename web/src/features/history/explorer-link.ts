import { type PublicConfig } from '@juicebar/contract/schemas'

/** Where to look up a transaction; undefined for a local chain, which no explorer knows. */
export function explorerLink(network: PublicConfig['network'], signature: string): string | undefined {
  if (network === 'localnet') return undefined
  const cluster = network === 'mainnet' ? '' : `?cluster=${network}`
  return `https://explorer.solana.com/tx/${signature}${cluster}`
}
