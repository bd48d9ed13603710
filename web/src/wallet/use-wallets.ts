import { type PublicConfig } from '@juicebar/contract/schemas'
import { useEffect } from 'react'

import { showBanner } from '../feedback/notices.ts'
import { platformOf } from './platform.ts'
import { watchWallets } from './wallet-store.ts'

/** Finds the wallets of this browser, and brings those of the phone and of the demo where they belong. */
export function useWallets(config: PublicConfig | undefined): void {
  const demoWallet = config?.demoWallet ?? false
  useEffect(() => watchWallets(demoWallet), [demoWallet])

  useEffect(() => {
    if (demoWallet) registerDemo().catch(() => showBanner('The Demo Wallet does not work in this browser: it cannot make ed25519 keys.'))
  }, [demoWallet])

  useEffect(() => {
    if (config && platformOf(navigator) === 'android') registerMobile(config).catch(() => undefined)
  }, [config])
}

let demoRegistered = false

async function registerDemo(): Promise<void> {
  if (demoRegistered) return
  demoRegistered = true
  const { registerDemoWallet } = await import('./demo/register-demo-wallet.ts')
  await registerDemoWallet()
}

let mobileRegistered = false

async function registerMobile(config: PublicConfig): Promise<void> {
  if (mobileRegistered) return
  mobileRegistered = true
  const { registerMobileWallet } = await import('./mobile/register-mobile-wallet.ts')
  await registerMobileWallet(config)
}
