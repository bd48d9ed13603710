import { Button } from '../../ui/button.tsx'
import { useAddTestSol } from './use-add-test-sol.ts'
import { useTopUp } from './use-top-up.ts'

/** Adds test SOL to the Demo Wallet: automatically when it is empty, and on request. */
export function TestSolButton({ walletAddress }: { walletAddress: string }) {
  const { mutate: addTestSol, isPending } = useAddTestSol(walletAddress)
  useTopUp(walletAddress)
  return (
    <Button
      small
      className="max-sm:px-3"
      disabled={isPending}
      onClick={() => addTestSol({ success: 'Test SOL has arrived.' })}
      title="Adds 5 test SOL from the local chain, which forgets all SOL when it restarts"
    >
      +<span className="max-sm:sr-only"> Test SOL</span>
    </Button>
  )
}
