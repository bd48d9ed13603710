import { type PublicConfig } from '@juicebar/contract/schemas'

import { lazyComponent } from '../ui/lazy-component.ts'
import { useWallet } from '../wallet/wallet-store.ts'
import { DEMO_WALLET, MOBILE_WALLET, platformOf } from '../wallet/wallet.ts'
import { PartOnTop } from '../feedback/crash-screen.tsx'

const DemoWallet = lazyComponent(async () => (await import('../wallet/demo/demo-wallet.tsx')).DemoWallet)
const MobileWallet = lazyComponent(async () => (await import('../wallet/mobile/mobile-wallet.tsx')).MobileWallet)

interface PageWalletsProps {
  config: PublicConfig | undefined
  /** Whether they are registered now. */
  registers: boolean
}

/** The wallets that come with the page: the Demo Wallet, and the way to the wallets of a phone. */
export function PageWallets({ config, registers }: PageWalletsProps) {
  const isWanted = useWallet(({ pickerOpen, chosen }) => pickerOpen || chosen === DEMO_WALLET || chosen === MOBILE_WALLET)
  return (
    <PartOnTop wanted={isWanted || undefined}>
      {registers && config?.demoWallet && <DemoWallet />}
      {registers && config && platformOf(navigator) === 'android' && <MobileWallet config={config} />}
    </PartOnTop>
  )
}
