import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { startTransition, useEffect, useState } from 'react'

import { listingQuery } from '../../api/listing-query.ts'
import { FirstViewOfListing } from '../../features/listing/first-view-of-listing.tsx'
import { usePurchase } from '../../features/purchase/use-purchase.ts'
import { goTo, usePath } from '../../navigation/path.ts'
import { useSession } from '../../session/session-store.ts'
import { useHydrated } from '../../ui/in-browser.tsx'
import { lazyComponent, whenFirstLoadIsOver } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { registerWorker } from '../../worker/register-worker.ts'

const loadDialog = async () => (await import('../../features/listing/listing-dialog.tsx')).ListingDialog
const ListingDialog = lazyComponent(loadDialog)

const close = () => goTo('/', { scroll: false })

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
  const isAlive = useHydrated()
  // Only what the server has rendered; the dialog reads it again.
  const { data: listing } = useQuery({ ...listingQuery(listingId), enabled: false })
  const waits = useDialogWaits(!isAlive && listing !== undefined)
  const [onPhone, setOnPhone] = useState<string>()
  useEffect(startWorker, [])
  if (shown === undefined) return null
  const content = {
    walletAddress: user?.walletAddress,
    onBuy: closed ? undefined : (wanted: Listing) => (close(), buy(wanted)),
    onClose: close,
    byPhone: onPhone === shown,
    onByPhone: (byPhone: boolean) => setOnPhone(byPhone ? shown : undefined),
  }
  return (
    <Part>
      {waits && listing && <FirstViewOfListing listing={listing} {...content} />}
      {!waits && isAlive && <ListingDialog listingId={listingId} {...content} />}
    </Part>
  )
}

/** How long after a press the browser may still report a click, in milliseconds. */
const AFTER_PRESS_MS = 300

/**
 * Whether the first view of a listing stays, and its dialog waits. Building the dialog takes a slow phone longer than all the rest of the
 * page, and what people can see and press of it is there without. It takes its place once the first load is over, but not during a press.
 *
 * @param isFirstView the server has rendered the listing
 */
function useDialogWaits(isFirstView: boolean): boolean {
  const [waits, setWaits] = useState(isFirstView)
  useEffect(() => {
    if (!waits) return undefined
    let isReady = false
    let isPressed = false
    const open = () => isReady && !isPressed && startTransition(() => setWaits(false))
    const release = () => {
      isPressed = false
      open()
    }
    const over = new AbortController()
    const { signal } = over
    window.addEventListener('pointerdown', () => (isPressed = true), { signal })
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, () => setTimeout(release, AFTER_PRESS_MS), { signal })
    void whenFirstLoadIsOver()
      .then(loadDialog)
      .then(() => {
        isReady = true
        if (!signal.aborted) open()
      })
      // The first view stays, which can do the same.
      .catch(() => undefined)
    return () => over.abort()
  }, [waits])
  return waits
}

/** In development there is no worker. Browsers that refuse it, as in a private window, do without. */
function startWorker(): void {
  if (import.meta.env.PROD && 'serviceWorker' in navigator) void registerWorker().catch(() => undefined)
}
