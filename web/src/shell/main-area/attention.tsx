import { queryOptions, useQuery } from '@tanstack/react-query'

import { call } from '../../api/client.ts'
import { keys } from '../../api/queries.ts'
import { AlertWatch } from '../../features/alerts/alert-watch.tsx'
import { OpenCases } from '../../features/cases/open-cases.tsx'
import { OpenPurchases } from '../../features/purchase/open/open-purchases.tsx'
import { formatTime } from '../../ui/format.ts'
import { WarningIcon } from '../../ui/icons.tsx'

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

/** The end of a temporary block is noticed within this time, in milliseconds. */
const CHECK_MS = 30_000

const blockQuery = queryOptions({
  queryKey: [...keys.mine, 'block'],
  queryFn: async ({ signal }) => (await call('me', { signal })).block ?? null,
  refetchInterval: ({ state }) => (state.data?.until ? CHECK_MS : false),
  meta: { quiet: true },
})

/** Tells a blocked player why they cannot buy or list, and what they can still do. */
function OwnBlock() {
  const { data: block } = useQuery(blockQuery)
  if (!block) return null
  return (
    <li className="card flex flex-wrap items-center gap-4 p-4">
      <span className="grid size-11 flex-none place-items-center rounded-full bg-warn/15 text-warn">
        <WarningIcon />
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-semibold">The studio has blocked your wallet{block.until && ` until ${formatTime(block.until)}`}</p>
        <p className="text-small wrap-anywhere">{block.reason}</p>
        <p className="text-small text-dim">
          You cannot buy or sell. You can still remove your listings, pay for what you hold, and refund. If you think that this is a
          mistake, ask the studio.
        </p>
      </div>
    </li>
  )
}
