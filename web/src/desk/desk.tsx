import { type PublicConfig } from '@juicebar/contract/schemas'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

import { configQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { NoticeArea, NoticesProvider } from '../feedback/notice-area.tsx'
import { useSessionLifecycle } from '../session/use-session-lifecycle.ts'
import { CrashScreen } from '../shell/crash-screen.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Part } from '../ui/part.tsx'
import { platformOf } from '../wallet/wallet.ts'
import { useWallets } from '../wallet/use-connect.ts'
import { Access } from './access.tsx'
import { Cases } from './cases.tsx'
import { Checkouts } from './checkouts.tsx'
import { Find } from './find/find.tsx'
import { Frame, Gate } from './frame/frame.tsx'
import { parsePlace, type Place } from './frame/places.ts'
import { MarketControls } from './market.tsx'
import { Shown } from './parts/shown.tsx'
import { AuditPlace } from './records/audit.tsx'
import { Log } from './records/log.tsx'
import { Today } from './today/today.tsx'
import { Webhooks } from './webhooks.tsx'

const DemoWallet = lazyComponent(async () => (await import('../wallet/demo/demo-wallet.tsx')).DemoWallet)
const MobileWallet = lazyComponent(async () => (await import('../wallet/mobile/mobile-wallet.tsx')).MobileWallet)

/** The desk, with what all of its parts share. */
export function Desk() {
  return (
    <QueryClientProvider client={queryClient}>
      <NoticesProvider>
        <DeskPage />
      </NoticesProvider>
    </QueryClientProvider>
  )
}

function DeskPage() {
  const query = useQuery(configQuery)
  const config = query.data
  const place = usePlace()
  useWallets({ demoWallet: config?.demoWallet ?? false })
  useSessionLifecycle({ online: config !== undefined })
  return (
    <>
      <NoticeArea />
      {config ? (
        <Gate config={config}>
          <Frame config={config} place={place}>
            <CrashScreen key={place.section}>
              <Content place={place} />
            </CrashScreen>
          </Frame>
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

function Content({ place: { section, detail } }: { place: Place }) {
  switch (section) {
    case 'today':
      return <Today />
    case 'find':
      return <Find text={detail} />
    case 'cases':
      return <Cases />
    case 'checkouts':
      return <Checkouts id={detail} />
    case 'market':
      return <MarketControls />
    case 'webhooks':
      return <Webhooks id={detail} />
    case 'access':
      return <Access />
    case 'log':
      return <Log />
    case 'audit':
      return <AuditPlace id={detail} />
  }
}

/** What the address says to show. */
function usePlace(): Place {
  return parsePlace(useSyncExternalStore(subscribe, () => location.hash))
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}
