import { type PublicConfig } from '@juicebar/contract/schemas'

import { OpenCases } from '../../features/cases/open-cases.tsx'
import { useSalesNews } from '../../features/my-listings/use-new-sales.ts'
import { OpenPurchases } from '../../features/purchase/open/open-purchases.tsx'
import { type View } from '../header/tabs.tsx'

interface AttentionProps {
  view: View
  walletAddress: string
  network: PublicConfig['network']
}

/** What waits for the user or is not settled yet, and news of sold lots. It takes no room while there is nothing. */
export function Attention({ view, walletAddress, network }: AttentionProps) {
  useSalesNews(walletAddress, view === 'listings')
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
