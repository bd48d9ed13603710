import { AlertWatch } from '../../features/alerts/alert-watch.tsx'
import { OpenCases } from '../../features/cases/open-cases.tsx'
import { OpenPurchases } from '../../features/purchase/open/open-purchases.tsx'
import { OwnBlock } from './own-block.tsx'

/** Items that need the person's attention or are not settled yet. It takes no space while there are none. */
export function Attention({ walletAddress }: { walletAddress: string }) {
  return (
    <section aria-labelledby="attention-title" className="hidden gap-3 has-[li]:grid">
      <h2 id="attention-title" className="text-lead">
        Needs attention
      </h2>
      <ul className="grid gap-3 lg:grid-cols-2">
        <OwnBlock />
        <OpenPurchases walletAddress={walletAddress} />
        <OpenCases walletAddress={walletAddress} />
      </ul>
      <AlertWatch walletAddress={walletAddress} />
    </section>
  )
}
