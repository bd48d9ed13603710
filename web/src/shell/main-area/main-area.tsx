import { type PublicConfig } from '@juicebar/contract/schemas'
import { Suspense } from 'react'

import { Market } from '../../features/market/market.tsx'
import { useBuy } from '../../features/purchase/use-buy.ts'
import { type SessionState } from '../../session/session-store.ts'
import { lazyPart } from '../../ui/lazy-component.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { ConnectPrompt } from './connect-prompt.tsx'
import { CheckingServer, ServerUnavailable } from './server-states.tsx'
import { type View } from '../header/tabs.tsx'

const Attention = lazyPart(async () => (await import('./attention.tsx')).Attention)
const Inventory = lazyPart(async () => (await import('../../features/inventory/inventory.tsx')).Inventory)
const MyListings = lazyPart(async () => (await import('../../features/my-listings/my-listings.tsx')).MyListings)

export type BackendStatus = 'checking' | 'online' | 'offline'

interface MainAreaProps {
  backend: BackendStatus
  session: SessionState
  config: PublicConfig | undefined
  view: View
}

/** The four states of the main area (specification, section 2). */
export function MainArea({ backend, session, config, view }: MainAreaProps) {
  const buy = useBuy()
  if (backend === 'offline') return <ServerUnavailable />
  if (backend === 'checking' || session.authorization === 'checking') return <CheckingServer />
  if (!session.user) {
    return (
      <div className="grid gap-8">
        <ConnectPrompt />
        <Market walletAddress={undefined} onBuy={buy} />
      </div>
    )
  }
  const { walletAddress } = session.user
  return (
    <div className="grid gap-8">
      <Suspense>{config && <Attention view={view} walletAddress={walletAddress} network={config.network} />}</Suspense>
      <Suspense fallback={<Spinner className="mx-auto my-20 size-8" />}>
        {view === 'marketplace' && <Market walletAddress={walletAddress} onBuy={buy} />}
        {view === 'inventory' && <Inventory walletAddress={walletAddress} />}
        {view === 'listings' && <MyListings />}
      </Suspense>
    </div>
  )
}
