import { messages } from '@juicebar/contract/messages'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'

import { ApiError } from '../api/api-error.ts'
import { balancesQuery, keys, myListingsQuery, reload } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { usePurchase } from '../features/purchase/use-purchase.ts'
import { NoticeArea } from '../feedback/notice-area.tsx'
import { showBanner } from '../feedback/notices.ts'
import { useLive, useLiveUpdates } from '../realtime/use-live-updates.ts'
import { type SessionState, useSession } from '../session/session-store.ts'
import { useSessionLifecycle } from '../session/use-session-lifecycle.ts'
import { marketSettings } from '../settings/market-settings.ts'
import { replayEarlyEvents } from '../ui/early-events.ts'
import { InBrowser } from '../ui/in-browser.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Part } from '../ui/part.tsx'
import { useWallets } from '../wallet/connect.ts'
import { CrashScreen } from '../feedback/crash-screen.tsx'
import { Dialogs } from './dialogs.tsx'
import { Header } from './header/header.tsx'
import { MainArea } from './main-area/main-area.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import { useBackend } from './use-backend.ts'
import { tabId, useView, type View, VIEW_ID } from './use-view.ts'

const NewSales = lazyComponent(async () => (await import('../features/my-listings/new-sales-watch.tsx')).NewSales)
const ClosedBar = lazyComponent(async () => (await import('./header/closed-bar.tsx')).ClosedBar)

/** Whose events to follow while nobody is signed in. */
const VISITOR = ''

/** The players' page: header, notices, the current view, and the dialogs on top. */
export function Shell() {
  const { backend, config } = useBackend()
  const online = backend === 'online'
  const away = backend === 'away'
  const closed = away || !!config?.pause
  const session = useSession()
  const walletAddress = session.user?.walletAddress
  const { view, views, setView } = useView(walletAddress)
  useLiveUpdates((online || away) && session.authorization !== 'checking' ? (walletAddress ?? VISITOR) : undefined)
  const [newSales, setNewSales] = useState(0)
  useWallets({ demoWallet: config?.demoWallet ?? false })
  useSessionLifecycle({ online })
  useLoadAfterSignIn(session)
  useLoadFailureBanner({ online })
  useEffect(replayEarlyEvents, [])

  const processing = useProcessing()
  const { running } = usePurchase()
  const busy = processing !== undefined || (running !== undefined && !running.inBackground)
  useFocusReturn({ busy })
  const tabs = <Tabs views={views} current={view} newSales={newSales} onChange={setView} />
  return (
    <>
      <div className="flex min-h-dvh flex-col">
        <div className="contents" inert={busy}>
          <Header online={online} config={config} walletAddress={walletAddress} tabs={tabs} />
        </div>
        <NoticeArea />
        <CrashScreen fallback={null}>
          <Part>{closed && <ClosedBar away={away} />}</Part>
          <Part>
            {walletAddress && <NewSales key={walletAddress} {...{ walletAddress, looking: view === 'listings', onCount: setNewSales }} />}
          </Part>
        </CrashScreen>
        <div className="contents" inert={busy}>
          <main className="mx-auto flex min-h-[calc(100dvh-var(--header-height))] w-full max-w-[110rem] flex-col px-4 py-4 sm:px-6 sm:py-8">
            <div id={VIEW_ID} role="tabpanel" tabIndex={-1} aria-labelledby={tabId(view)} className="flex flex-1 flex-col outline-none">
              <CrashScreen key={view}>
                <MainArea backend={backend} paused={closed} session={session} view={view} />
              </CrashScreen>
            </div>
          </main>
          <Footer config={config} />
        </div>
      </div>
      <Dialogs config={config} closed={closed} processing={processing} />
    </>
  )
}

/** The market's promises, the studio's own text, and the name of the chain. */
function Footer({ config }: { config: PublicConfig | undefined }) {
  const { footer } = marketSettings()
  return (
    <footer className="mt-auto border-t border-line">
      <div className="mx-auto flex max-w-[110rem] flex-wrap items-center gap-x-6 gap-y-2 px-4 py-5 text-tiny text-dim sm:px-6">
        <p className="flex-1 basis-72 wrap-anywhere">
          {footer && <span className="block">{footer}</span>}You pay the seller directly. The market never holds your SOL.
        </p>
        {config && (
          <p>
            {config.network} · version {config.version}
          </p>
        )}
        <a href="/licenses.txt" className="py-3 hover:text-text">
          Licences
        </a>
        <InBrowser fallback={<span className="button button-small invisible">Evening</span>}>
          <ThemeToggle />
        </InBrowser>
      </div>
    </footer>
  )
}

/** Loads balances, own listings and all listings after a login (specification, section 4); the header loads the SOL balance. */
function useLoadAfterSignIn({ authorization, user }: SessionState): void {
  const wasVisitor = useRef(false)
  const walletAddress = user?.walletAddress
  useEffect(() => {
    if (authorization === 'signed-out') wasVisitor.current = true
    if (!walletAddress) return
    // A prefetch never rejects.
    void queryClient.prefetchQuery(balancesQuery(walletAddress))
    void queryClient.prefetchQuery(myListingsQuery('active'))
    // A session restored after a reload has just loaded all listings.
    if (wasVisitor.current) reload(keys.listings)
    wasVisitor.current = false
  }, [authorization, walletAddress])
}

/** Says in the banner that something could not be loaded (specification, section 8), unless the query is `quiet`. */
function useLoadFailureBanner({ online }: { online: boolean }): void {
  const queries = useQueryClient().getQueryCache()
  useEffect(() => {
    // Until the server has answered, the banner shows the server's own failure.
    if (!online) return undefined
    return queries.subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'error') return
      const { meta, state } = event.query
      // While everything is polled, the screen keeps its data, and the badge says that it may be old.
      const polled = useLive.getState().state === 'reconnecting' && state.data !== undefined
      if (!meta?.quiet && !polled && !isSessionRefusal(event.action.error)) showBanner(messages.loadFailed)
    })
  }, [queries, online])
}

/** True if the session has ended, which has its own message. */
function isSessionRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/**
 * Returns the focus when an action ends: to the element that had it last, or to the current view if that element is gone.
 *
 * @param busy an action is under way, and the app takes neither keys nor clicks
 */
function useFocusReturn({ busy }: { busy: boolean }): void {
  const last = useRef<HTMLElement>(undefined)
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement) last.current = target
    }
    document.addEventListener('focusin', remember)
    return () => document.removeEventListener('focusin', remember)
  }, [])

  useEffect(() => {
    if (!busy) return undefined
    return () => {
      // In the next frame, so that a dialog that closes now can place the focus first.
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        last.current?.focus()
        if (document.activeElement === document.body) document.getElementById(VIEW_ID)?.focus({ preventScroll: true })
      })
    }
  }, [busy])
}

/**
 * What the Processing overlay says: the label of the newest action under way that has one (`meta.processing`).
 *
 * It follows the mutation cache directly. `useMutationState` reports a moment later, when a dialog that closes at success has already
 * tried to hand the focus back to a page that still could not take it.
 *
 * @returns undefined while no such action runs
 */
function useProcessing(): string | undefined {
  const mutations = useQueryClient().getMutationCache()
  const subscribe = useCallback((onChange: () => void) => mutations.subscribe(onChange), [mutations])
  return useSyncExternalStore(
    subscribe,
    () => mutations.findAll({ status: 'pending', predicate: ({ meta }) => meta?.processing !== undefined }).at(-1)?.meta?.processing,
    () => undefined,
  )
}

const labels: Record<View, string> = { marketplace: 'Market', inventory: 'Inventory', listings: 'My Listings' }

/** The id of the text that says what the badge of My Listings shows. */
const NEW_SALES_ID = 'new-sales'

interface TabsProps {
  views: readonly View[]
  current: View
  /** Sales since the seller last looked at My Listings. */
  newSales: number
  onChange: (view: View) => void
}

/** The views of the app. Arrow keys, Home and End move between them. */
function Tabs({ views, current, newSales, onChange }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbour(views, current, event.key)
    if (!next) return
    event.preventDefault()
    onChange(next)
    list.current?.querySelector<HTMLElement>(`#${tabId(next)}`)?.focus()
  }
  return (
    <>
      <div ref={list} role="tablist" aria-label="Views" className="flex">
        {views.map((view) => (
          <button
            key={view}
            type="button"
            role="tab"
            id={tabId(view)}
            aria-selected={view === current}
            aria-controls={VIEW_ID}
            aria-describedby={view === 'listings' && newSales > 0 ? NEW_SALES_ID : undefined}
            tabIndex={view === current ? 0 : -1}
            className="tab"
            onClick={() => onChange(view)}
            onKeyDown={onKeyDown}
          >
            {labels[view]}
            {view === 'listings' && newSales > 0 && (
              <span className="badge" aria-hidden="true">
                {newSales}
              </span>
            )}
          </button>
        ))}
      </div>
      <span id={NEW_SALES_ID} hidden>
        {newSales} sold since you last looked
      </span>
    </>
  )
}

function neighbour(views: readonly View[], current: View, key: string): View | undefined {
  const at = views.indexOf(current)
  const last = views.length - 1
  if (key === 'ArrowRight') return views[at === last ? 0 : at + 1]
  if (key === 'ArrowLeft') return views[at === 0 ? last : at - 1]
  if (key === 'Home') return views[0]
  if (key === 'End') return views[last]
  return undefined
}
