import { LogoutButton } from '../../session/logout-button.tsx'
import { TestSolButton } from '../../wallet/demo/test-sol-button.tsx'
import { SolBalance } from './sol-balance.tsx'

/** What the header has only for a signed-in player. */
export function PlayerControls({ walletAddress, isDemo }: { walletAddress: string; isDemo: boolean }) {
  return (
    <>
      <SolBalance walletAddress={walletAddress} />
      {isDemo && <TestSolButton walletAddress={walletAddress} />}
      <LogoutButton />
    </>
  )
}
