import { type PublicConfig } from '@juicebar/contract/schemas'

import { OpenCases } from '../cases/open-cases.tsx'
import { OpenPurchases } from '../purchase/open-purchases.tsx'

interface AttentionProps {
  walletAddress: string
  network: PublicConfig['network']
}

/** What waits for the user or is not settled yet. It takes no room while there is nothing. */
export function Attention({ walletAddress, network }: AttentionProps) {
  return (
    <section aria-labelledby="attention-title" className="hidden gap-3 has-[li]:grid">
      <h2 id="attention-title" className="text-lead">
        Needs attention
      </h2>
      <ul className="grid gap-3 lg:grid-cols-2">
        <OpenPurchases network={network} />
        <OpenCases walletAddress={walletAddress} network={network} />
      </ul>
    </section>
  )
}
