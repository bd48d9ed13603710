import { type WalletAddress } from '@juicebar/contract/addresses'

import { type Config } from '../../settings/config.ts'
import { creditStarterTokens, type DemoDeps, seedDemoMarket } from './demo-market.ts'

export interface Demo {
  /** Credits starter tokens to a wallet that signs in for the first time. */
  welcome(wallet: WalletAddress): Promise<void>
  /** Fills the market of a local chain, once. On a public network only real sellers may list. */
  seed(): Promise<void>
}

/** What DEMO=on adds. The demo sellers' keys are derived from `secret`. */
export function createDemo({ network, demoSeed }: Config, deps: DemoDeps, secret: string): Demo {
  return {
    welcome: (wallet) => creditStarterTokens(deps, wallet),
    seed: async () => {
      if (demoSeed && network === 'localnet') await seedDemoMarket(deps, secret)
    },
  }
}
