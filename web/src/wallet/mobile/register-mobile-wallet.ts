import { type PublicConfig } from '@juicebar/contract/schemas'

import { marketSettings } from '../../settings/market-settings.ts'
import { isInAppBrowser } from '../platform.ts'
import { chainOf } from '../signatures.ts'
import { mobileMessages } from './mobile-messages.ts'

let registered = false

/**
 * Offers the wallets on an Android phone through the mobile wallet protocol. Registers once; there is no way back.
 *
 * @param onProblem called with a sentence for the person if no wallet can be found
 */
export async function registerMobileWallet(config: PublicConfig, onProblem: (sentence: string) => void): Promise<void> {
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
