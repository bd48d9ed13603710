import { useEffect, useState } from 'react'

import { useLive } from './realtime/use-live-updates.ts'
import { session as sessionStore } from './session/session-store.ts'
import { useSession } from './session/use-session-lifecycle.ts'
import { Dialogs } from './shell/dialogs.tsx'
import { Footer } from './shell/footer.tsx'
import { Header } from './shell/header/header.tsx'
import { MainArea } from './shell/main-area/main-area.tsx'
import { Notices } from './feedback/notice-area.tsx'
import { tabId, Tabs, type View } from './shell/header/tabs.tsx'
import { useBackend } from './shell/use-backend.ts'
import { useBusy } from './shell/use-busy.ts'
import { useLoadAfterSignIn } from './shell/use-load-after-sign-in.ts'
import { CrashScreen } from './shell/crash-screen.tsx'
import { prefetchWhenIdle } from './ui/lazy-component.ts'
import { VIEW_ID } from './feedback/use-processing.ts'
import { useStore } from './ui/store.ts'
import { useWallets } from './wallet/use-wallets.ts'

/** Whose events are followed while nobody is signed in. */
const VISITOR = ''
const visitorViews: readonly View[] = ['marketplace']
const memberViews: readonly View[] = ['marketplace', 'inventory', 'listings']

/** The current view. Every login and logout begins at the market. */
function useView(walletAddress: string | undefined): [View, (view: View) => void] {
  const [chosen, setChosen] = useState<{ walletAddress: string | undefined; view: View }>()
  const view = chosen && chosen.walletAddress === walletAddress ? chosen.view : 'marketplace'
  const choose = (next: View) => {
    setChosen({ walletAddress, view: next })
    window.scrollTo(0, 0)
  }
  return [view, choose]
}

/** The page: header, banner, the current view, and what stands above them. */
export function App() {
  const { backend, config } = useBackend()
  const online = backend === 'online'
  const session = useStore(sessionStore)
  const walletAddress = session.user?.walletAddress
  const [view, setView] = useView(walletAddress)
  useWallets(config)
  useSession(online)
  useLive(online && session.authorization !== 'checking' ? (walletAddress ?? VISITOR) : undefined)
  useLoadAfterSignIn(walletAddress)
  useEffect(() => {
    if (online) prefetchWhenIdle()
  }, [online])
  useEffect(() => {
    if (config) document.title = `${config.productName} Marketplace`
  }, [config])

  const busy = useBusy()
  const tabs = <Tabs views={walletAddress ? memberViews : visitorViews} current={view} onChange={setView} />
  return (
    <>
      <div className="flex min-h-dvh flex-col">
        <div className="contents" inert={busy}>
          <Header online={online} config={config} walletAddress={walletAddress} tabs={tabs} />
        </div>
        <Notices />
        <div className="contents" inert={busy}>
          <main className="mx-auto flex min-h-[calc(100dvh-var(--header-height))] w-full max-w-[110rem] flex-col px-4 py-6 sm:px-6 sm:py-8">
            <div id={VIEW_ID} role="tabpanel" tabIndex={-1} aria-labelledby={tabId(view)} className="flex flex-1 flex-col outline-none">
              <CrashScreen key={view}>
                <MainArea backend={backend} session={session} config={config} view={view} />
              </CrashScreen>
            </div>
          </main>
          <Footer config={config} />
        </div>
      </div>
      <CrashScreen>
        <Dialogs config={config} />
      </CrashScreen>
    </>
  )
}
