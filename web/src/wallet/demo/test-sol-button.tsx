import { useState } from 'react'

import { Button } from '../../ui/button.tsx'
import { addTestSol } from './add-test-sol.ts'
import { useDemoTopUp } from './use-top-up.ts'

/** Brings test SOL to the Demo Wallet, by itself when it is empty and at the press of a button. */
export function DemoFunds({ walletAddress }: { walletAddress: string }) {
  const [busy, setBusy] = useState(false)
  useDemoTopUp(walletAddress)
  const add = () => {
    setBusy(true)
    addTestSol(walletAddress)
      .finally(() => setBusy(false))
      .catch(() => undefined)
  }
  return (
    <Button
      small
      className="max-sm:px-3!"
      disabled={busy}
      onClick={add}
      title="Brings 5 test SOL from the local chain, which forgets all SOL when it restarts"
    >
      +<span className="max-sm:sr-only"> Test SOL</span>
    </Button>
  )
}
