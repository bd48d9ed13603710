import { Suspense, useEffect } from 'react'

import { useNotices } from '../../feedback/use-notices.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { useRetained } from '../../ui/use-retained.ts'
import { useApproval } from './approval.ts'
import { registerDemoWallet } from './register-demo-wallet.ts'

const ApprovalDialog = lazyComponent(async () => (await import('./approval-dialog.tsx')).ApprovalDialog)

/** The Demo Wallet: registers it among the wallets of this browser, and shows its window when it asks for an approval. */
export function DemoWallet() {
  const { showBanner } = useNotices()
  const { request } = useApproval()
  const shown = useRetained(request)
  useEffect(() => {
    registerDemoWallet().catch(() => showBanner('The Demo Wallet does not work in this browser: it cannot make ed25519 keys.'))
  }, [showBanner])
  if (!shown) return null
  return (
    <Suspense>
      <ApprovalDialog open={request !== undefined} request={shown} />
    </Suspense>
  )
}
