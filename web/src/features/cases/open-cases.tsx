import { solText } from '@juicebar/contract/money'
import { type Case } from '@juicebar/contract/schemas'
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query'

import { errorSentence } from '../../api/api-error.ts'
import { casesQuery, configQuery, refreshMarket } from '../../api/queries.ts'
import { inMarketWords } from '../../catalogue/catalogue.ts'
import { useNotices } from '../../feedback/notices.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol } from '../../ui/format.ts'
import { WarningIcon } from '../../ui/icons.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useConnect } from '../../wallet/use-connect.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { MAY_LAND_MS, refundCase, type RefundOutcome } from './refund-case.ts'

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

interface Refund {
  refund: () => void
  /** The refund may be on its way without the server knowing of it. */
  mayLand: boolean
}

/** The refund of one case; a failure goes to the banner. */
function useRefund(subject: Case): Refund {
  const client = useQueryClient()
  const { showBanner, showToast } = useNotices()
  const mutationKey = ['refund', subject.caseId]
  const { mutate } = useMutation({
    mutationKey,
    gcTime: MAY_LAND_MS,
    meta: { processing: 'Approve the refund in your wallet' },
    mutationFn: async () => refundCase(subject, await client.ensureQueryData(configQuery)),
    onSuccess: ({ warning }) => {
      if (warning) showBanner(warning)
      else showToast('The refund is on its way. The case closes when the network has finalized it.', 'good')
    },
    onError: (error) => showBanner(errorSentence(error, 'The refund failed')),
    onSettled: refreshMarket,
  })
  // Read from the mutation cache, so that it outlives this component, for example during a logout.
  const outcomes = useMutationState({ filters: { mutationKey }, select: ({ state }) => state.data as RefundOutcome | undefined })
  const now = useNow()
  return { refund: () => mutate(), mayLand: outcomes.some((outcome) => outcome?.mayLandUntil !== undefined && outcome.mayLandUntil > now) }
}

type Told = Pick<Case, 'seller' | 'price' | 'fee' | 'amount' | 'tokenName' | 'explanation'>

/** What was paid, and for what. The fee concerns the buyer; if no seller was paid, there is nothing else to show. */
export function caseTitle({ seller, price, fee, amount, tokenName }: Told, isBuyer: boolean): string {
  const feeText = fee && `fee of ${solText(BigInt(fee.lamports))} SOL`
  const wanted = amount === null || tokenName === null ? inMarketWords('for drinks') : `for ${formatAmount(amount)} ${tokenName}`
  if (seller === null && feeText) return `A ${feeText} ${wanted}`
  return `${formatSol(price)} SOL ${feeText && isBuyer ? `and a ${feeText} ` : ''}${wanted}`
}

/** What happened, and what comes next. While the SOL is on its way back, the buyer is still told who owes the fee. */
export function caseNews({ fee, explanation }: Told, { isBuyer, underWay }: { isBuyer: boolean; underWay: boolean }): string {
  if (!underWay) return explanation
  const refund = 'The refund is on its way.'
  return fee && isBuyer ? `${refund} The fee of ${solText(BigInt(fee.lamports))} SOL is owed by the studio.` : refund
}
