import { type PublicConfig } from '@juicebar/contract/schemas'

import { marketSettings } from '../../settings/market-settings.ts'
import { TestSolButton } from '../../wallet/demo/test-sol-button.tsx'
import { DEMO_WALLET } from '../../wallet/wallet.ts'
import { ConnectedWallet } from '../../wallet/wallet-button.tsx'
import { useWallet } from '../../wallet/wallet-store.ts'
import { MarketName } from '../header/market-name.tsx'

interface CheckoutHeaderProps {
  config: PublicConfig | undefined
  walletAddress: string | undefined
}

/** Whose page it is, and the wallet that pays. It leads nowhere: the ways out of a checkout are below. */
export function CheckoutHeader({ config, walletAddress }: CheckoutHeaderProps) {
  const { logo } = marketSettings()
  const isDemo = useWallet(({ connected }) => connected?.wallet.name === DEMO_WALLET)
  return (
    <header className="header sticky top-0 z-30 h-(--header-height) border-b border-line">
      <div className="mx-auto flex h-full max-w-104 items-center justify-between gap-3 px-4 sm:px-0">
        <p className="flex min-w-0 items-center gap-2.5 font-display text-small leading-none font-semibold">
          <img src={logo} alt="" width={36} height={36} className="size-9 flex-none" />
          <MarketName />
        </p>
        <div className="flex flex-none items-center gap-2">
          {isDemo && walletAddress !== undefined && <TestSolButton walletAddress={walletAddress} />}
          <ConnectedWallet localChain={config?.network === 'localnet'} demoWallet={config?.demoWallet ?? false} />
        </div>
      </div>
    </header>
  )
}
