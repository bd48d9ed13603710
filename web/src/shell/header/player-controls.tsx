import { LogoutButton } from '../../session/logout-button.tsx'
import { TestSolButton } from '../../wallet/demo/test-sol-button.tsx'
import { SolBalance } from './sol-balance.tsx'

/** The parts of the header that only a signed-in player sees. */
export function PlayerControls({ walletAddress, isDemo }: { walletAddress: string; isDemo: boolean }) {
  return (
    <>
      <SolBalance walletAddress={walletAddress} />
      {isDemo && <TestSolButton walletAddress={walletAddress} />}
      <LogoutButton />
    </>
  )
}
