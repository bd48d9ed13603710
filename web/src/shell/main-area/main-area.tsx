import { type TokenType } from '@juicebar/contract/catalogue'
import { DRINK_PATH, LISTING_PATH } from '@juicebar/contract/market-settings'
import { Activity, type ComponentProps, lazy, useMemo, useState } from 'react'

import { loadFirstPage } from '../../api/queries.ts'
import { catalogue, inMarketWords } from '../../catalogue/catalogue.ts'
import { DrinkImage } from '../../catalogue/drink-image.tsx'
import { Market } from '../../features/market/market.tsx'
import { useBasket } from '../../features/purchase/order/basket-store.ts'
import { useCooldowns, usePurchase } from '../../features/purchase/use-purchase.ts'
import { shownPath, usePath } from '../../navigation/path.ts'
import { useLive } from '../../realtime/use-live-updates.ts'
import { type SessionState } from '../../session/session-store.ts'
import { SignInButton } from '../../session/sign-in-button.tsx'
import { marketSettings } from '../../settings/market-settings.ts'
import { Button } from '../../ui/button.tsx'
import { WarningIcon } from '../../ui/icons.tsx'
import { InBrowser } from '../../ui/in-browser.tsx'
import { lazyComponent, whenFirstLoadIsOver, whenIdle } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { openPicker, useWallet } from '../../wallet/wallet-store.ts'
import { CrashScreen, PartOnTop } from '../../feedback/crash-screen.tsx'
import { type BackendStatus } from '../use-backend.ts'
import { type View } from '../use-view.ts'

const Attention = lazyComponent(async () => (await import('./attention.tsx')).Attention)
const BasketTray = lazyComponent(async () => (await import('../../features/purchase/basket/basket-tray.tsx')).BasketTray)
const DrinkPanel = lazyComponent(async () => (await import('./drink-panel.tsx')).DrinkPanel)
const Inventory = lazyComponent(async () => (await import('../../features/inventory/inventory.tsx')).Inventory)
const History = lazyComponent(async () => (await import('../../features/history/history.tsx')).History)
const MarketActivity = lazyComponent(async () => (await import('../../features/market/activity/market-activity.tsx')).MarketActivity)
const MyListings = lazyComponent(async () => (await import('../../features/my-listings/my-listings.tsx')).MyListings)
const NotFound = lazy(async () => ({ default: (await import('../../navigation/not-found.tsx')).NotFound }))
const loadDrinkView = async () => ({ default: (await import('./drink-view.tsx')).DrinkView })
/** Downloaded only when one is opened, and at once if the address names one. */
const DrinkView = lazy(loadDrinkView)
if (shownPath().startsWith(DRINK_PATH)) void loadDrinkView().catch(() => undefined)
/**
 * Downloaded once the listings have loaded, which are what people came for, and the browser is idle. Behind a listing's page, prices can wait
 * for longer.
 */
const PriceStrip = lazy(async () => {
  const isServer = typeof document === 'undefined'
  if (!isServer) await (shownPath().startsWith(LISTING_PATH) ? whenFirstLoadIsOver() : loadFirstPage().then(whenIdle))
  return { default: (await import('../../features/market/price-strip.tsx')).PriceStrip }
})

interface MainAreaProps {
  backend: BackendStatus
  /** Nothing can be bought: the market may have changed, or the studio has paused it. */
  paused: boolean
  session: SessionState
  view: View
}

/** The four states of the main area (specification, section 2). */
export function MainArea({ backend, paused, session, view }: MainAreaProps) {
  const { buy, gather } = usePurchase()
  const listings = useBasket(({ listings }) => listings)
  const gathered = useMemo(() => new Set(listings.map(({ listingId }) => listingId)), [listings])
  const cooldowns = useCooldowns(session.user?.walletAddress)
  const path = usePath()
  const [opensOnListing] = useState(() => shownPath().startsWith(LISTING_PATH))
  if (backend === 'offline') return <ServerUnavailable />
  const away = backend === 'away'
  if (backend === 'checking') return <CheckingServer />
  if (!isPage(path)) {
    return (
      <Part fallback={<Waiting />}>
        <NotFound title="There is no page at this address" hint="The link may be wrong or incomplete." />
      </Part>
    )
  }
  const onBuy = paused ? undefined : buy
  const walletAddress = session.user?.walletAddress
  const bestPrice = (tokenType: TokenType) => (
    // Another drink's is another: nothing of it was typed, and no price of it has risen.
    <Part key={tokenType} fallback={<div className="card best-price breathe" />}>
      <DrinkPanel tokenType={tokenType} walletAddress={walletAddress} paused={paused} />
    </Part>
  )
  const prices = ({ search, tokenType }: PriceFilter) => <Prices {...{ search, tokenType, opensOnListing }} />
  const onDrink = path.startsWith(DRINK_PATH)
  const market = (
    <>
      {onDrink && (
        <CrashScreen key={path}>
          {/* As high as the window, so that nothing below it moves when it arrives. */}
          <Part
            fallback={
              <div className="min-h-dvh">
                <Waiting />
              </div>
            }
          >
            <DrinkView code={path.slice(DRINK_PATH.length)} {...{ walletAddress, paused, bestPrice }} />
          </Part>
        </CrashScreen>
      )}
      {!walletAddress && <ConnectPrompt away={away} />}
      {/* It stays unchanged behind a drink's page, for players who go back. */}
      <Activity mode={onDrink ? 'hidden' : 'visible'}>
        <Part>
          <Market
            {...{ walletAddress, cooldowns, onBuy, gathered, bestPrice, Activity: MarketActivity, prices }}
            onGather={walletAddress ? gather : undefined}
          />
        </Part>
      </Activity>
    </>
  )
  return (
    <div className="grid gap-8 max-sm:gap-5">
      {walletAddress && (
        <CrashScreen>
          <Part>
            <Attention walletAddress={walletAddress} />
          </Part>
        </CrashScreen>
      )}
      {view === 'marketplace' && market}
      <Part fallback={<Waiting />}>
        {view === 'inventory' && walletAddress && (
          <div className="grid gap-12">
            <Inventory walletAddress={walletAddress} />
            <History walletAddress={walletAddress} />
          </div>
        )}
        {view === 'listings' && <MyListings />}
      </Part>
      {walletAddress && (
        <PartOnTop wanted={listings.length || undefined}>
          <BasketTray walletAddress={walletAddress} paused={paused} />
        </PartOnTop>
      )}
    </div>
  )
}

/** Whether the market has a page at a path; whether that of a drink or a listing exists is found out there. */
function isPage(path: string): boolean {
  return path === '/' || path === '/index.html' || path.startsWith(DRINK_PATH) || (path.startsWith(LISTING_PATH) && path !== LISTING_PATH)
}

type PriceFilter = ComponentProps<typeof PriceStrip>

/** The prices above the market. `opensOnListing`: the page was opened on a listing, behind which they can wait. */
function Prices({ opensOnListing, ...filter }: PriceFilter & { opensOnListing: boolean }) {
  const strip = (
    <Part fallback={<PricesToCome />}>
      <PriceStrip {...filter} />
    </Part>
  )
  return <CrashScreen fallback={null}>{opensOnListing ? <InBrowser fallback={<PricesToCome />}>{strip}</InBrowser> : strip}</CrashScreen>
}

function PricesToCome() {
  return <div className="card prices breathe needs-script" />
}

function Waiting() {
  return <Spinner className="mx-auto my-20 size-8" />
}

/** How many of the items are in the picture. */
const MAX_GLASSES = 3

/** The first thing that a visitor sees, above the market: how to sign in. */
function ConnectPrompt({ away }: { away: boolean }) {
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  const isReconnecting = useLive(({ state }) => state === 'reconnecting') || away
  return (
    <section className="for-visitors card welcome">
      <div>
        <p className="flex items-center gap-2 rounded-round border border-line px-3 py-1 text-tiny font-semibold">
          <span className={`size-2 rounded-full forced-color-adjust-none ${isReconnecting ? 'breathe bg-warn' : 'bg-good'}`} />
          {isReconnecting ? 'Reconnecting' : 'Server Online'}
        </p>
        <h2 className="text-hero">Connect Phantom Wallet</h2>
        <p className="max-w-prose text-dim max-sm:line-clamp-3">
          {connected
            ? 'Sign the message in your wallet to show that it is yours. It costs nothing and moves nothing.'
            : (marketSettings().welcome ?? inMarketWords('Sell your drinks, or buy from other players.'))}
          {!connected && <span className="max-sm:hidden"> You pay the seller directly in SOL; the market never holds your money.</span>}
        </p>
        {connected && !away ? (
          <SignInButton />
        ) : (
          <Button kind="primary" disabled={away} onClick={openPicker}>
            Choose a wallet
          </Button>
        )}
      </div>
      <div className={connected ? 'bar max-md:hidden' : 'bar'} aria-hidden="true">
        {catalogue()
          .items.slice(0, MAX_GLASSES)
          .map(({ code }) => (
            <div key={code} className="bar-glass" data-token={code}>
              <DrinkImage tokenType={code} />
            </div>
          ))}
      </div>
    </section>
  )
}

/** Shown until the health check has been answered. */
function CheckingServer() {
  return (
    <div role="status" className="grid flex-1 place-content-center justify-items-center gap-4 py-24 text-dim">
      <Spinner className="size-9" />
      <p>Checking server connection</p>
    </div>
  )
}

/** Shown if the health check failed; Try Again reloads the page. */
function ServerUnavailable() {
  return (
    <div className="grid flex-1 place-content-center justify-items-center gap-4 px-6 py-24 text-center">
      <span className="grid size-16 place-items-center rounded-full bg-warn/15 text-warn">
        <WarningIcon />
      </span>
      <h2 className="text-title">Server Unavailable</h2>
      <p>Failed to connect to server</p>
      <p className="text-dim">Make sure your internet connection is stable</p>
      <Button kind="primary" onClick={() => location.reload()}>
        Try Again
      </Button>
    </div>
  )
}
