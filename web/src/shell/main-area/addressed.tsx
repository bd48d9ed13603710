import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { type Listing } from '@juicebar/contract/schemas'
import { useEffect } from 'react'

import { FirstViewOfListing } from '../../features/listing/first-view-of-listing.tsx'
import { usePurchase } from '../../features/purchase/use-purchase.ts'
import { goTo, usePath } from '../../navigation/path.ts'
import { useSession } from '../../session/session-store.ts'
import { InBrowser } from '../../ui/in-browser.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { registerWorker } from '../../worker/register-worker.ts'

const ListingDialog = lazyComponent(async () => (await import('../../features/listing/listing-dialog.tsx')).ListingDialog)

/**
 * The subject of the page's address, shown above the market. It is downloaded after the first load, or at once if the address names
 * something, so it also registers the service worker.
 */
export function Addressed({ closed }: { closed: boolean }) {
  const { buy } = usePurchase()
  const { user } = useSession()
  const path = usePath()
  const listingId = path.startsWith(LISTING_PATH) ? path.slice(LISTING_PATH.length) : undefined
  const shown = useRetained(listingId)
  useEffect(startWorker, [])
  const close = () => goTo('/', { scroll: false })
  const onBuy = (listing: Listing) => {
    close()
    buy(listing)
  }
  if (shown === undefined) return null
  const firstView = <FirstViewOfListing listingId={shown} />
  return (
    <InBrowser fallback={firstView}>
      <Part fallback={firstView}>
        <ListingDialog listingId={listingId} walletAddress={user?.walletAddress} onBuy={closed ? undefined : onBuy} onClose={close} />
      </Part>
    </InBrowser>
  )
}

/** In development there is no worker. Browsers that refuse it, as in a private window, do without. */
function startWorker(): void {
  if (import.meta.env.PROD && 'serviceWorker' in navigator) void registerWorker().catch(() => undefined)
}
