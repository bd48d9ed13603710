import { registerWallet } from '@wallet-standard/wallet'
import { useEffect } from 'react'

import { useNotices } from '../../feedback/notices.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { useRetained } from '../../ui/use-retained.ts'
import { askOwner, useApproval } from './approval.ts'
import { createDemoWallet } from './create-demo-wallet.ts'

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
    <Part>
      <ApprovalDialog open={request !== undefined} request={shown} />
    </Part>
  )
}

const SEED_KEY = 'demoWalletSeed'
const SEED_BYTES = 32

let registration: Promise<void> | undefined

/**
 * Registers the Demo Wallet with every app on this page, including those that start later: a wallet for the local chain, with its key in
 * local storage. It holds test SOL only. It registers once, since the Wallet Standard has no way for a wallet to leave.
 *
 * @throws if the browser cannot make ed25519 keys
 */
export function registerDemoWallet(): Promise<void> {
  registration ??= createDemoWallet(readSeed(), askOwner).then(registerWallet)
  return registration
}

function readSeed(): Uint8Array {
  const kept = localStorage.getItem(SEED_KEY)
  if (kept) return Uint8Array.from(atob(kept), (character) => character.charCodeAt(0))
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES))
  localStorage.setItem(SEED_KEY, btoa(String.fromCharCode(...seed)))
  return seed
}
