import { type TokenType } from '@juicebar/contract/catalogue'
import { Suspense, useMemo } from 'react'

import { Market } from '../../features/market/market.tsx'
import { useBasket } from '../../features/purchase/order/basket-store.ts'
import { useCooldowns } from '../../features/purchase/use-cooldowns.ts'
import { usePurchase } from '../../features/purchase/use-purchase.ts'
import { type SessionState } from '../../session/session-store.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { type BackendStatus } from '../use-backend.ts'
import { CrashScreen } from '../crash-screen.tsx'
import { type View } from '../views.ts'
import { ConnectPrompt } from './connect-prompt.tsx'
import { CheckingServer, ServerUnavailable } from './server-states.tsx'

const Attention = lazyComponent(async () => (await import('./attention.tsx')).Attention)
const BasketTray = lazyComponent(async () => (await import('../../features/purchase/basket/basket-tray.tsx')).BasketTray)
const DrinkPanel = lazyComponent(async () => (await import('./drink-panel.tsx')).DrinkPanel)
const Inventory = lazyComponent(async () => (await import('../../features/inventory/inventory.tsx')).Inventory)
const History = lazyComponent(async () => (await import('../../features/history/history.tsx')).History)
const MarketActivity = lazyComponent(async () => (await import('../../features/market/activity/market-activity.tsx')).MarketActivity)
const MyListings = lazyComponent(async () => (await import('../../features/my-listings/my-listings.tsx')).MyListings)

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
  const lots = useBasket(({ lots }) => lots)
  const gathered = useMemo(() => new Set(lots.map(({ listingId }) => listingId)), [lots])
  const cooldowns = useCooldowns(session.user?.walletAddress)
  if (backend === 'offline') return <ServerUnavailable />
  const away = backend === 'away'
  if (backend === 'checking' || (!away && session.authorization === 'checking')) return <CheckingServer />
  const onBuy = paused ? undefined : buy
  const bestPrice = (tokenType: TokenType) => (
    <DrinkPanel tokenType={tokenType} walletAddress={session.user?.walletAddress} paused={paused} />
  )
  const activity = (tokenType: TokenType | undefined) => (
    <CrashScreen>
      <Suspense fallback={<div className="h-72" />}>
        <MarketActivity key={tokenType} tokenType={tokenType} />
      </Suspense>
    </CrashScreen>
  )
  const market = { cooldowns, onBuy, gathered, bestPrice, activity }
  if (!session.user) {
    return (
      <div className="grid gap-8">
        <ConnectPrompt away={away} />
        <Market walletAddress={undefined} {...market} onGather={undefined} />
      </div>
    )
  }
  const { walletAddress } = session.user
  return (
    <div className="grid gap-8">
      <CrashScreen>
        <Suspense>
          <Attention walletAddress={walletAddress} />
        </Suspense>
      </CrashScreen>
      <Suspense fallback={<Spinner className="mx-auto my-20 size-8" />}>
        {view === 'marketplace' && <Market walletAddress={walletAddress} {...market} onGather={gather} />}
        {view === 'inventory' && (
          <div className="grid gap-12">
            <Inventory walletAddress={walletAddress} />
            <History walletAddress={walletAddress} />
          </div>
        )}
        {view === 'listings' && <MyListings />}
      </Suspense>
      <CrashScreen fallback={null}>
        <Suspense>
          <BasketTray walletAddress={walletAddress} paused={paused} />
        </Suspense>
      </CrashScreen>
    </div>
  )
}
