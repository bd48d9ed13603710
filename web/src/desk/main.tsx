import { type PublicConfig } from '@juicebar/contract/schemas'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { readJwt } from '../api/client.ts'
import { configQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { NoticeArea } from '../feedback/notice-area.tsx'
import { useSessionLifecycle } from '../session/use-session-lifecycle.ts'
import { CrashScreen } from '../feedback/crash-screen.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Part } from '../ui/part.tsx'
import { useWallets } from '../wallet/connect.ts'
import { platformOf } from '../wallet/wallet.ts'
import './desk.css'
import { Arriving, Gate } from './frame/gate.tsx'
import { Shown } from './parts/shown.tsx'

const loadDesk = async () => (await import('./desk.tsx')).Desk
const Desk = lazyComponent(loadDesk)
const DemoWallet = lazyComponent(async () => (await import('../wallet/demo/demo-wallet.tsx')).DemoWallet)
const MobileWallet = lazyComponent(async () => (await import('../wallet/mobile/mobile-wallet.tsx')).MobileWallet)

/** The desk for the staff, and for everybody else the way to sign in. */
function DeskPage() {
  const query = useQuery(configQuery)
  const config = query.data
  useWallets({ demoWallet: config?.demoWallet ?? false })
  useSessionLifecycle({ online: config !== undefined })
  return (
    <>
      <NoticeArea />
      {config ? (
        <Gate config={config}>
          <CrashScreen>
            <Part fallback={<Arriving config={config} />}>
              <Desk config={config} />
            </Part>
          </CrashScreen>
        </Gate>
      ) : (
        <main className="mx-auto grid min-h-dvh max-w-xl place-content-center justify-items-center gap-5 px-4 text-center">
          <h1 className="text-hero">Studio desk</h1>
          <Shown query={query} what="The market">
            {() => null}
          </Shown>
        </main>
      )}
      <Part>{config && <OwnWallets config={config} />}</Part>
    </>
  )
}

/** The wallets that this page brings along. */
function OwnWallets({ config }: { config: PublicConfig }) {
  return (
    <>
      {config.demoWallet && <DemoWallet />}
      {platformOf(navigator) === 'android' && <MobileWallet config={config} />}
    </>
  )
}

// Who was signed in needs the desk next. If it cannot be downloaded, its place says so.
if (readJwt() !== undefined) void loadDesk().catch(() => undefined)

const root = document.getElementById('root')
if (!root) throw new Error('studio.html has no root element')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <DeskPage />
    </QueryClientProvider>
  </StrictMode>,
)
