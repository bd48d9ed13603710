import { type PublicConfig } from '@juicebar/contract/schemas'
import { useEffect } from 'react'

import { marketSettings } from '../../settings/market-settings.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { chainOf } from '../signatures.ts'
import { showMobileProblem, useWallet } from '../wallet-store.ts'
import { isInAppBrowser } from '../wallet.ts'
import { mobileMessages } from './request-local-network.ts'

const MobileProblemDialog = lazyComponent(async () => (await import('./mobile-problem-dialog.tsx')).MobileProblemDialog)

/** Registers the wallets of an Android phone, and says why if none can be reached. */
export function MobileWallet({ config }: { config: PublicConfig }) {
  const problem = useWallet((wallet) => wallet.mobileProblem)
  const shown = useRetained(problem)
  useEffect(() => {
    // If the adapter cannot be downloaded, the picker still offers the other ways to Phantom.
    registerMobileWallet(config, showMobileProblem).catch(() => undefined)
  }, [config])
  if (!shown) return null
  return (
    <Part>
      <MobileProblemDialog open={problem !== undefined} problem={shown} onClose={() => showMobileProblem(undefined)} />
    </Part>
  )
}

let registered = false

/**
 * Offers the wallets on an Android phone through the mobile wallet protocol. Registers once; there is no way back.
 *
 * @param onProblem called with a sentence for the person if no wallet can be found
 */
async function registerMobileWallet(config: PublicConfig, onProblem: (sentence: string) => void): Promise<void> {
  if (registered || isInAppBrowser(navigator.userAgent)) return
  registered = true
  const { title, logo } = marketSettings()
  const { createDefaultAuthorizationCache, createDefaultChainSelector, registerMwa } = await import('@solana-mobile/wallet-standard-mobile')
  registerMwa({
    appIdentity: { name: title, uri: location.origin, icon: logo },
    authorizationCache: createDefaultAuthorizationCache(),
    chains: [chainOf(config.network)],
    chainSelector: createDefaultChainSelector(),
    onWalletNotFound: async () => onProblem(mobileMessages.notFound),
  })
}
