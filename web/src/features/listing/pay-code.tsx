import { lamportsToSol } from '@juicebar/contract/money'
import { type Listing, type PayLink } from '@juicebar/contract/schemas'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { configQuery } from '../../api/queries.ts'
import { payLinkMutation, payLinkStateQuery } from '../../api/listing-query.ts'
import { inMarketWords } from '../../catalogue/in-market-words.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol } from '../../ui/format.ts'
import { CheckIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { payLinkText } from './listing-words.ts'
import { QrCode } from './qr-code.tsx'

interface PayCodeProps {
  listing: Listing
  /** Why it can no longer be bought; undefined if it can. */
  reason: string | undefined
}

/** A code with which a wallet pays at once, and the progress of the payment. */
export function PayCode({ listing, reason }: PayCodeProps) {
  const { data: link, error, mutate } = useMutation(payLinkMutation(listing._id))
  useEffect(() => mutate(), [mutate])
  if (error) {
    return (
      <div className="grid gap-4" role="alert">
        <p className="text-small">{error.message}</p>
        <Button onClick={() => mutate()}>Try again</Button>
      </div>
    )
  }
  if (!link) return <Spinner className="mx-auto my-20 size-8" />
  return <Progress link={link} listing={listing} reason={reason} onRenew={mutate} />
}

function Progress({ link, listing, reason, onRenew }: PayCodeProps & { link: PayLink; onRenew: () => void }) {
  const { data: progress, error, isFetching, refetch } = useQuery(payLinkStateQuery(link.id))
  // The listing may be held or sold because of this very link.
  useEffect(() => void (reason && refetch()), [reason, refetch])
  const { data: config } = useQuery(configQuery)
  const state = progress?.state ?? 'open'
  if (reason && !isFetching && (state === 'open' || state === 'expired')) {
    return (
      <p role="status" className="text-small font-semibold">
        {reason}
      </p>
    )
  }
  return (
    <>
      {state === 'open' && (
        <>
          <p className="text-small text-dim">
            Scan it in Phantom, or in any wallet with Solana Pay, to pay {formatSol(lamportsToSol(BigInt(link.lamports)))} SOL
            {config?.fee.basisPoints ? ', the studio’s fee included,' : ''} for {formatAmount(link.amount)} {listing.tokenName}.{' '}
            {inMarketWords('The drinks go to the wallet that pays.')}
          </p>
          <QrCode text={link.url} label="Code with which a wallet pays for this listing" />
        </>
      )}
      <p role="status" className="flex min-h-11 items-center justify-center gap-2.5 text-center text-small font-semibold">
        {state === 'delivered' ? <CheckIcon /> : state !== 'expired' && <Spinner className="size-4 flex-none" />}
        {error ? error.message : progress ? payLinkText(progress) : 'Waiting for your phone …'}
      </p>
      {state === 'expired' && <Button onClick={onRenew}>Make a new code</Button>}
    </>
  )
}
