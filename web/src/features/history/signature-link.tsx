import { type PublicConfig } from '@juicebar/contract/schemas'

import { shortSignature } from '../../ui/format.ts'

interface SignatureLinkProps {
  signature: string
  /** Undefined while it is not known. */
  network: PublicConfig['network'] | undefined
}

/** The start of a transaction's signature, with a link to an explorer if its chain has one. */
export function SignatureLink({ signature, network }: SignatureLinkProps) {
  const href = network && explorerLink(network, signature)
  const face = shortSignature(signature)
  if (!href) return <span title={signature}>{face}</span>
  return (
    <a href={href} target="_blank" rel="noreferrer" title={signature} className="underline hover:text-text">
      {face}
    </a>
  )
}

/** Where to look up a transaction; undefined for a local chain, which no explorer knows. */
export function explorerLink(network: PublicConfig['network'], signature: string): string | undefined {
  if (network === 'localnet') return undefined
  const cluster = network === 'mainnet' ? '' : `?cluster=${network}`
  return `https://explorer.solana.com/tx/${signature}${cluster}`
}
