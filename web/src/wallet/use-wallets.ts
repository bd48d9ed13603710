import { useEffect } from 'react'

import { offeredNames } from './wallet.ts'
import { watchWallets } from './wallet-store.ts'

/** Watches for the wallets of this browser that the market works with. */
export function useWallets({ demoWallet }: { demoWallet: boolean }): void {
  useEffect(() => watchWallets(offeredNames({ demoWallet })), [demoWallet])
}
