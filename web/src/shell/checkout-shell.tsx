import { CHECKOUT_PATH } from '@juicebar/contract/market-settings'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'

import { configQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { CheckoutPage } from '../features/purchase/checkout/checkout-page.tsx'
import { checkoutQuery } from '../features/purchase/checkout/checkout-query.ts'
import { NoticeArea } from '../feedback/notice-area.tsx'
import { usePath } from '../navigation/path.ts'
import { useLiveUpdates } from '../realtime/use-live-updates.ts'
import { useSession } from '../session/session-store.ts'
import { useSessionLifecycle } from '../session/use-session-lifecycle.ts'
import { ConnectedWallet } from '../session/connected-wallet.tsx'
import { marketSettings } from '../settings/market-settings.ts'
import { replayEarlyEvents } from '../ui/early-events.ts'
import { shortAddress } from '../ui/format.ts'
import { InBrowser } from '../ui/in-browser.tsx'
import { TestSolButton } from '../wallet/demo/test-sol-button.tsx'
import { useWallets } from '../wallet/connect.ts'
import { useWallet } from '../wallet/wallet-store.ts'
import { DEMO_WALLET } from '../wallet/wallet.ts'
import { CrashScreen } from '../feedback/crash-screen.tsx'
import { MarketName } from './header/header.tsx'
import { PageWallets } from './page-wallets.tsx'

/** How often to read the market's settings again until they are known, and while it is paused, in milliseconds. */
const CONFIG_MS = 10_000
/** Whose events to follow while nobody is signed in. */
const VISITOR = ''

/** The page of a checkout, without the market around it: one card, the wallet above it, and a line below. */
export function CheckoutShell() {
  const publicId = usePath().slice(CHECKOUT_PATH.length)
  // Never rejects.
  const loadCheckout = useCallback(() => queryClient.prefetchQuery(checkoutQuery(publicId)), [publicId])
  const { data: config } = useQuery({
    ...configQuery,
    refetchInterval: ({ state: { data } }) => (data && !data.pause ? false : CONFIG_MS),
  })
  const { data: checkout, dataUpdatedAt, errorUpdatedAt } = useQuery(checkoutQuery(publicId))
  const online = checkout !== undefined && checkout !== null && dataUpdatedAt >= errorUpdatedAt
  const { authorization, user } = useSession()
  useWallets({ demoWallet: config?.demoWallet ?? false })
  useSessionLifecycle({ online })
  useEffect(replayEarlyEvents, [])
  useLiveUpdates(authorization === 'checking' ? undefined : (user?.walletAddress ?? VISITOR), loadCheckout)
  return (
    <>
      <div className="checkout flex min-h-dvh flex-col">
        <CheckoutHeader config={config} walletAddress={user?.walletAddress} />
        <NoticeArea />
        <main className="flex flex-1 flex-col items-center px-4 py-4 sm:py-8">
          <CrashScreen>
            <CheckoutPage publicId={publicId} />
          </CrashScreen>
        </main>
        <FootLine />
      </div>
      <InBrowser>
        <PageWallets config={config} registers />
      </InBrowser>
    </>
  )
}

function FootLine() {
  const { footer } = marketSettings()
  return (
    <footer className="px-4 pb-4 text-center text-tiny text-dim">
      {footer && <p>{footer}</p>}
      <p>You pay the sellers directly. The market never holds your SOL.</p>
    </footer>
  )
}

interface CheckoutHeaderProps {
  config: PublicConfig | undefined
  walletAddress: string | undefined
}

/** Whose page it is, and the wallet that pays. It leads nowhere: the ways out of a checkout are below. */
function CheckoutHeader({ config, walletAddress }: CheckoutHeaderProps) {
  const { logo } = marketSettings()
  const connected = useWallet((wallet) => wallet.connected)
  const isDemo = connected?.wallet.name === DEMO_WALLET
  return (
    <header className="header sticky top-0 z-30 h-(--header-height) border-b border-line">
      <div className="mx-auto flex h-full max-w-104 items-center justify-between gap-2 px-4 sm:px-0">
        <p className="flex min-w-0 items-center gap-2 font-display text-small leading-none font-semibold">
          <img
            src={logo}
            alt=""
            width={36}
            height={36}
            className={`size-9 flex-none ${walletAddress === undefined ? '' : 'max-[23rem]:hidden'}`}
          />
          <MarketName />
        </p>
        <div className="flex flex-none items-center gap-2">
          {/* A session is kept when a page is loaded again; its wallet connects once it is asked for something. */}
          {walletAddress !== undefined && !connected && (
            <span className="figures text-tiny font-semibold text-dim" title={walletAddress}>
              {shortAddress(walletAddress)}
            </span>
          )}
          {isDemo && walletAddress !== undefined && <TestSolButton walletAddress={walletAddress} />}
          <ConnectedWallet localChain={config?.network === 'localnet'} demoWallet={config?.demoWallet ?? false} />
        </div>
      </div>
    </header>
  )
}
