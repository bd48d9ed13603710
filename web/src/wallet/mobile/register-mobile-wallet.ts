import { type PublicConfig } from '@juicebar/contract/schemas'

import { mobileMessages } from './mobile-messages.ts'
import { mobileProblem } from './mobile-problem.ts'
import { isInAppBrowser } from '../platform.ts'
import { chainOf } from '../wallet.ts'

/**
 * Offers the wallets installed on an Android phone through the mobile wallet protocol. What it runs into is shown in our own dialog.
 */
export async function registerMobileWallet(config: Pick<PublicConfig, 'network' | 'productName'>): Promise<void> {
  if (isInAppBrowser(navigator.userAgent)) return
  const { createDefaultAuthorizationCache, createDefaultChainSelector, registerMwa } = await import('@solana-mobile/wallet-standard-mobile')
  registerMwa({
    appIdentity: { name: `${config.productName} Marketplace`, uri: location.origin, icon: '/favicon.svg' },
    authorizationCache: createDefaultAuthorizationCache(),
    chains: [chainOf(config.network)],
    chainSelector: createDefaultChainSelector(),
    onWalletNotFound: async () => mobileProblem.set(mobileMessages.notFound),
  })
}
