import { SOL_DECIMALS_SHOWN } from '@juicebar/contract/limits'
import { LAMPORTS_PER_SOL } from '@juicebar/contract/money'
import { useQuery } from '@tanstack/react-query'

import { errorSentence } from '../../api/api-error.ts'
import { solQuery } from '../../api/chain.ts'
import { logOut } from '../../session/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { CountingNumber } from '../../ui/counting-number.tsx'
import { TestSolButton } from '../../wallet/demo/test-sol-button.tsx'

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

/** Logs out and disconnects the wallet. */
function LogoutButton() {
  return (
    <Button kind="bare" className="logout" onClick={() => void logOut()}>
      Logout
    </Button>
  )
}

/** The wallet's SOL with four decimals. A read that failed shows a dash and why, never a zero. */
function SolBalance({ walletAddress }: { walletAddress: string }) {
  const { data, error } = useQuery(solQuery(walletAddress))
  const known = data !== undefined && !error
  return (
    <span
      className="text-small font-semibold whitespace-nowrap max-sm:absolute max-sm:top-8 max-sm:left-15.5 max-sm:text-tiny max-[23rem]:left-4"
      title={known ? undefined : errorSentence(error, 'Reading the balance')}
    >
      <span className="sr-only">SOL balance </span>
      {known ? (
        <CountingNumber value={Number(data)} format={(lamports) => formatBalance(BigInt(Math.round(lamports)))} />
      ) : (
        <Unknown error={error} />
      )}
      <span className="text-dim"> SOL</span>
    </span>
  )
}

function Unknown({ error }: { error: Error | null }) {
  return (
    <>
      –<span className="sr-only">{error ? `unknown: ${error.message}` : 'being read'}</span>
    </>
  )
}

/** A balance in lamports as SOL with four decimals, truncated, so that nobody is shown SOL that they don't have. */
export function formatBalance(lamports: bigint): string {
  const scale = 10n ** BigInt(SOL_DECIMALS_SHOWN)
  const units = (lamports * scale) / LAMPORTS_PER_SOL
  return `${units / scale}.${(units % scale).toString().padStart(SOL_DECIMALS_SHOWN, '0')}`
}
