import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { startTransition, useCallback, useEffect, useState } from 'react'

import { listingQuery } from '../../api/listing-query.ts'
import { type EventListener, eventListeners } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { FirstViewOfListing } from '../../features/listing/first-view-of-listing.tsx'
import { usePurchase } from '../../features/purchase/use-purchase.ts'
import { goTo, usePath } from '../../navigation/path.ts'
import { useSession } from '../../session/session-store.ts'
import { useHydrated } from '../../ui/in-browser.tsx'
import { lazyComponent, whenFirstLoadIsOver } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { registerWorker } from '../../worker/register-worker.ts'
import { PartOnTop } from '../../feedback/crash-screen.tsx'

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
  const { firstView, waits, ...dialog } = useFirstView(listingId, isAlive)
  const phone = useByPhone(listingId)
  useEffect(startWorker, [])
  useEffect(followEvents, [])
  if (shown === undefined) return null
  const content = {
    walletAddress: user?.walletAddress,
    onBuy: closed ? undefined : (wanted: Listing) => (close(), buy(wanted)),
    onClose: close,
    ...phone,
  }
  return (
    <Part>
      {/* The way to buy by phone comes with the dialog: it moves the button above it, which somebody may be pressing. */}
      {firstView && <FirstViewOfListing listing={firstView} {...content} byPhone={false} onByPhone={undefined} />}
      {!waits && isAlive && (
        <PartOnTop wanted={listingId}>
          <ListingDialog listingId={listingId} {...dialog} {...content} />
        </PartOnTop>
      )}
    </Part>
  )
}

/** Whether the way to buy by phone is shown. Another listing, or the same once more, begins with the other way. */
function useByPhone(listingId: string | undefined) {
  const [openedId, setOpenedId] = useState(listingId)
  const [byPhone, onByPhone] = useState(false)
  if (listingId !== openedId) {
    setOpenedId(listingId)
    if (listingId !== undefined) onByPhone(false)
  }
  return { byPhone, onByPhone }
}

interface FirstView {
  /** The listing, as long as its first view is shown. */
  firstView: Listing | undefined
  /** The dialog is not built yet. */
  waits: boolean
  /** It takes the place of the first view, where nothing should be seen to change. */
  replaces: boolean
  /** Called once it has. */
  onShown: () => void
}

/** The listing that the server has rendered, until its dialog takes its place. Another listing has its dialog at once. */
function useFirstView(listingId: string | undefined, isAlive: boolean): FirstView {
  const { pickerOpen } = useWallet()
  const [isKept, setIsKept] = useState(false)
  const [isReplaced, setIsReplaced] = useState(false)
  // What the server has rendered is read again by the dialog, or here if that cannot be downloaded.
  const { data: listing } = useQuery({ ...listingQuery(listingId), enabled: isKept })
  const [renderedId] = useState(!isAlive && listing ? listingId : undefined)
  const waits = useDialogWaits(renderedId !== undefined, setIsKept) && renderedId === (listingId ?? renderedId)
  const replaces = renderedId !== undefined && renderedId === listingId
  return {
    // Only now: the dialog shows itself later than it is built. It does not while wallets are chosen.
    firstView: waits || (replaces && !isReplaced && !pickerOpen) ? listing : undefined,
    waits,
    replaces,
    onShown: useCallback(() => setIsReplaced(true), []),
  }
}

/** How long after a press the browser may still report a click, in milliseconds. */
const AFTER_PRESS_MS = 300

/**
 * Whether the first view of a listing stays, and its dialog waits. Building the dialog takes a slow phone longer than all the rest of the
 * page, and what people can see and press of it is there without. It takes its place once the first load is over, but not during a press.
 *
 * @param isFirstView the server has rendered the listing
 * @param onFailed called with true if the dialog cannot be downloaded: the first view stays, which can do the same
 */
function useDialogWaits(isFirstView: boolean, onFailed: (failed: true) => void): boolean {
  const [waits, setWaits] = useState(isFirstView)
  useEffect(() => {
    if (!waits) return undefined
    let isReady = false
    let isPressed = false
    let released: ReturnType<typeof setTimeout> | undefined
    const open = () => isReady && !isPressed && startTransition(() => setWaits(false))
    const press = () => {
      clearTimeout(released)
      isPressed = true
    }
    const release = () => {
      clearTimeout(released)
      released = setTimeout(() => {
        isPressed = false
        open()
      }, AFTER_PRESS_MS)
    }
    const over = new AbortController()
    const { signal } = over
    for (const begin of ['pointerdown', 'keydown']) window.addEventListener(begin, press, { signal })
    for (const end of ['pointerup', 'pointercancel', 'keyup', 'blur']) window.addEventListener(end, release, { signal })
    void whenFirstLoadIsOver()
      .then(loadDialog)
      .then(
        () => {
          isReady = true
          if (!signal.aborted) open()
        },
        () => signal.aborted || onFailed(true),
      )
    return () => {
      over.abort()
      clearTimeout(released)
    }
  }, [waits, onFailed])
  return waits
}

/** A listing that is shown, or was, is as the market's events say. */
function followEvents(): () => void {
  const hear: EventListener = (event) => void ('listing' in event && noteListing(event.listing))
  eventListeners.add(hear)
  return () => void eventListeners.delete(hear)
}

async function noteListing(listing: Listing): Promise<void> {
  const { queryKey } = listingQuery(listing._id)
  if (!queryClient.getQueryData(queryKey)) return
  // A reply in flight may be older.
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, listing)
}

/** In development there is no worker. Browsers that refuse it, as in a private window, do without. */
function startWorker(): void {
  if (import.meta.env.PROD && 'serviceWorker' in navigator) void registerWorker().catch(() => undefined)
}
