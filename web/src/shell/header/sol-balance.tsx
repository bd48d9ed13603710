import { useQuery } from '@tanstack/react-query'

import { errorSentence } from '../../api/api-error.ts'
import { solQuery } from '../../api/chain.ts'
import { CountingNumber } from '../../ui/counting-number.tsx'
import { formatBalance } from './balance-text.ts'

/** The wallet's SOL with four decimals. A read that failed shows a dash and why, never a zero. */
export function SolBalance({ walletAddress }: { walletAddress: string }) {
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
