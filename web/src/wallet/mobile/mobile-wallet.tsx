import { type PublicConfig } from '@juicebar/contract/schemas'
import { Suspense, useEffect } from 'react'

import { lazyComponent } from '../../ui/lazy-component.ts'
import { useRetained } from '../../ui/use-retained.ts'
import { showMobileProblem, useWallet } from '../wallet-store.ts'
import { registerMobileWallet } from './register-mobile-wallet.ts'

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
    <Suspense>
      <MobileProblemDialog open={problem !== undefined} problem={shown} onClose={() => showMobileProblem(undefined)} />
    </Suspense>
  )
}
