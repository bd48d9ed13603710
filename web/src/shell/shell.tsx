import { Suspense, useEffect, useState } from 'react'

import { usePurchase } from '../features/purchase/use-purchase.ts'
import { NoticeArea } from '../feedback/notice-area.tsx'
import { useProcessing } from '../feedback/use-processing.ts'
import { replayEarlyEvents } from '../ui/early-events.ts'
import { useLiveUpdates } from '../realtime/use-live-updates.ts'
import { useSession } from '../session/session-store.ts'
import { useSessionLifecycle } from '../session/use-session-lifecycle.ts'
import { lazyComponent } from '../ui/lazy-component.ts'
import { useWallets } from '../wallet/use-wallets.ts'
import { CrashScreen } from './crash-screen.tsx'
import { Dialogs } from './dialogs.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header/header.tsx'
import { Tabs } from './header/tabs.tsx'
import { MainArea } from './main-area/main-area.tsx'
import { useBackend } from './use-backend.ts'
import { useFirstLoadOver } from './use-first-load.ts'
import { useFocusReturn } from './use-focus-return.ts'
import { useLoadAfterSignIn } from './use-load-after-sign-in.ts'
import { useLoadFailureBanner } from './use-load-failure-banner.ts'
import { useView } from './use-view.ts'
import { tabId, VIEW_ID } from './views.ts'

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
  const live = useLiveUpdates((online || away) && session.authorization !== 'checking' ? (walletAddress ?? VISITOR) : undefined)
  const [newSales, setNewSales] = useState(0)
  useWallets({ demoWallet: config?.demoWallet ?? false })
  useSessionLifecycle({ online })
  useLoadAfterSignIn(session)
  useLoadFailureBanner({ live, online })
  useEffect(replayEarlyEvents, [])
  const firstLoadOver = useFirstLoadOver()

  const processing = useProcessing()
  const { running } = usePurchase()
  const busy = processing !== undefined || (running !== undefined && !running.inBackground)
  useFocusReturn({ busy })
  const tabs = <Tabs views={views} current={view} newSales={newSales} onChange={setView} />
  return (
    <>
      <div className="flex min-h-dvh flex-col">
        <div className="contents" inert={busy}>
          <Header live={online ? live : undefined} config={config} walletAddress={walletAddress} tabs={tabs} />
        </div>
        <NoticeArea />
        <CrashScreen fallback={null}>
          <Suspense>{closed && <ClosedBar away={away} />}</Suspense>
          <Suspense>
            {walletAddress && <NewSales key={walletAddress} {...{ walletAddress, looking: view === 'listings', onCount: setNewSales }} />}
          </Suspense>
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
      <CrashScreen>
        <Dialogs config={config} closed={closed} processing={processing} firstLoadOver={firstLoadOver} />
      </CrashScreen>
    </>
  )
}
