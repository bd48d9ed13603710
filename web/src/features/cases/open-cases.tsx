import { type Case } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { casesQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { formatSol } from '../../ui/format.ts'
import { WarningIcon } from '../../ui/icons.tsx'
import { useConnect } from '../../wallet/use-connect.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { caseNews, caseTitle } from './case-text.ts'
import { useRefund } from './use-refund.ts'

/** Payments that went wrong and are not settled yet, for their buyer and their seller. */
export function OpenCases({ walletAddress }: { walletAddress: string }) {
  const { data = [] } = useQuery(casesQuery)
  return data
    .filter(({ status }) => status === 'open' || status === 'refunding')
    .map((subject) => <OpenCase key={subject.caseId} subject={subject} walletAddress={walletAddress} />)
}

function OpenCase({ subject, walletAddress }: { subject: Case; walletAddress: string }) {
  const connected = useWallet((wallet) => wallet.connected !== undefined)
  const { connectChosen } = useConnect()
  const { refund, mayLand } = useRefund(subject)
  const underWay = mayLand || subject.status === 'refunding'
  const { price, refundable } = subject
  const isSeller = subject.seller === walletAddress
  const isBuyer = subject.buyer === walletAddress
  return (
    <li className="card flex flex-wrap items-center gap-4 p-4">
      <span className="grid size-11 flex-none place-items-center rounded-full bg-warn/15 text-warn">
        <WarningIcon />
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-semibold">{caseTitle(subject, isBuyer)}</p>
        <p className="text-small text-dim">{caseNews(subject, { isBuyer, underWay })}</p>
      </div>
      {isSeller && refundable && !underWay && (
        <Button kind="primary" small className="max-sm:w-full" onClick={connected ? refund : connectChosen}>
          {connected ? `Refund ${formatSol(price)} SOL` : 'Connect to refund'}
        </Button>
      )}
    </li>
  )
}
