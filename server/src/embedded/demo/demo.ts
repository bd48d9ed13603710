import { type WalletAddress } from '@juicebar/contract/addresses'

import { type Config } from '../../config.ts'
import { type Database } from '../../database/connect.ts'
import { giveStarterTokens, seedDemoMarket } from './demo-market.ts'

export interface Demo {
  /** Starter tokens for a wallet that signs in for the first time. */
  welcome(wallet: WalletAddress): Promise<void>
  /** Fills the market of a local chain, once; elsewhere lots need sellers who can be paid, so it does nothing there. */
  seed(): Promise<void>
}

/** What DEMO=on adds. `secret` is what the demo sellers' keys are derived from. */
export function createDemo({ network, demoSeed }: Config, database: Database, secret: string): Demo {
  return {
    welcome: (wallet) => giveStarterTokens(database, wallet),
    seed: async () => {
      if (demoSeed && network === 'localnet') await seedDemoMarket(database, secret)
    },
  }
}
