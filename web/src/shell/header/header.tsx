import { type PublicConfig } from '@juicebar/contract/schemas'
import { type ReactNode } from 'react'

import { type LiveState } from '../../realtime/follow-events.ts'
import { useLive } from '../../realtime/use-live-updates.ts'
import { WalletButton } from '../../session/wallet-button.tsx'
import { marketSettings } from '../../settings/market-settings.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { useWallet } from '../../wallet/wallet-store.ts'
import { DEMO_WALLET } from '../../wallet/wallet.ts'
import { CrashScreen } from '../../feedback/crash-screen.tsx'

const PlayerControls = lazyComponent(async () => (await import('./player-controls.tsx')).PlayerControls)

interface HeaderProps {
  /** The server has answered. */
  online: boolean
  config: PublicConfig | undefined
  walletAddress: string | undefined
  tabs: ReactNode
}

/** Title, tabs, balance, logout and wallet. On a phone, a player's tabs and logout are at the lower edge. */
export function Header({ online, config, walletAddress, tabs }: HeaderProps) {
  const isDemo = useWallet((wallet) => wallet.connected?.wallet.name === DEMO_WALLET)
  return (
    <header className="header sticky top-0 z-30 h-(--header-height) border-b border-line">
      <div className="mx-auto grid h-full max-w-[110rem] grid-cols-[1fr_auto] content-between items-center gap-x-2 px-4 pt-2 sm:gap-x-4 sm:px-6 lg:grid-cols-[auto_1fr_auto] lg:content-center lg:gap-x-8 lg:pt-0">
        <Brand aboveBalance={walletAddress !== undefined} />
        <div
          className={`views overflow-x-auto max-lg:order-last max-lg:col-span-2 sm:-mx-6 sm:px-3 lg:mx-0 lg:px-0 ${walletAddress ? 'views-bar' : ''}`}
        >
          {tabs}
        </div>
        <div className="flex items-center justify-end gap-2 sm:gap-3">
          {online && <LiveBadge />}
          {/* If they cannot be downloaded, the main area says so. */}
          <CrashScreen fallback={null}>
            <Part>{walletAddress && <PlayerControls walletAddress={walletAddress} isDemo={isDemo} />}</Part>
          </CrashScreen>
          <WalletButton localChain={config?.network === 'localnet'} demoWallet={config?.demoWallet ?? false} />
        </div>
      </div>
    </header>
  )
}

/** The market's logo and name. On a phone the balance, once there is one, is in the place of its second line. */
function Brand({ aboveBalance }: { aboveBalance: boolean }) {
  const { logo } = marketSettings()
  return (
    <h1 className={`flex min-w-0 items-center gap-2.5 max-[23rem]:gap-1.5 text-small leading-none ${aboveBalance ? 'max-sm:pb-5' : ''}`}>
      <img
        src={logo}
        alt=""
        width={36}
        height={36}
        className={`size-9 flex-none max-[23rem]:size-7 ${aboveBalance ? 'max-sm:-mb-5 max-[23rem]:hidden' : ''}`}
      />
      <MarketName secondLine={aboveBalance ? 'max-sm:sr-only' : ''} />
    </h1>
  )
}

const labels: Record<LiveState, string> = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' }

const titles: Record<LiveState, string> = {
  connecting: 'Opening the live connection',
  live: 'Changes on the market show at once',
  reconnecting: 'The live connection is down; the market is reloaded every few seconds',
}

/** Shows whether changes on the market appear at once. */
function LiveBadge() {
  const { state } = useLive()
  return (
    <span className="flex items-center gap-1.5 text-tiny font-semibold text-dim" role="status" title={titles[state]}>
      <span className="max-sm:sr-only sm:min-w-21 sm:text-right">{labels[state]}</span>
      <span className={`size-2 rounded-full forced-color-adjust-none ${state === 'live' ? 'bg-good' : 'breathe bg-warn'}`} />
    </span>
  )
}

const MARKETPLACE = ' Marketplace'

/** The market's name; of Juicebar's own, *Marketplace* is a second line. `secondLine` is its class. */
export function MarketName({ secondLine = '' }: { secondLine?: string }) {
  const { title } = marketSettings()
  const isMarketplace = title.endsWith(MARKETPLACE)
  return (
    <span className="min-w-0 truncate">
      {isMarketplace ? title.slice(0, -MARKETPLACE.length) : title}
      {isMarketplace && <span className={`block text-tiny font-normal tracking-normal text-dim sm:mt-1 ${secondLine}`}>{MARKETPLACE}</span>}
    </span>
  )
}
