import { payLinkEndpoints } from '@juicebar/contract/endpoints/pay-links'
import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { lamportsToSol } from '@juicebar/contract/money'
import { type Listing, type PayLink, type PayLinkState } from '@juicebar/contract/schemas'
import { mutationOptions, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { encode } from 'uqr'

import { callEndpoint } from '../../api/client.ts'
import { configQuery } from '../../api/queries.ts'
import { inMarketWords } from '../../catalogue/catalogue.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol } from '../../ui/format.ts'
import { CheckIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { phantomBrowseLink } from '../../wallet/phantom-link.ts'

interface PhoneCodesProps {
  listing: Listing
  /** Why it can no longer be bought; undefined if it can. */
  reason: string | undefined
  /** The https address at which phones reach the market. */
  publicOrigin: string
  /** A wallet may send its payment by itself, which is how it pays for a code. */
  walletsSend: boolean
}

const ways = [
  { id: 'phantom', label: 'Open in Phantom' },
  { id: 'pay', label: 'Pay with any wallet' },
] as const

/** Codes to scan: one opens the listing in Phantom's browser, the other lets a wallet pay at once, if wallets may send by themselves. */
export function PhoneCodes({ listing, reason, publicOrigin, walletsSend }: PhoneCodesProps) {
  const [way, choose] = useState<(typeof ways)[number]['id']>('phantom')
  return (
    <section aria-labelledby="by-phone" className="mt-5 grid gap-4 border-t border-line pt-4">
      <h3 id="by-phone" className="text-body">
        Buy with your phone
      </h3>
      {walletsSend && (
        <fieldset className="min-w-0">
          <legend className="sr-only">Which code to scan</legend>
          <div className="flex flex-wrap gap-2">
            {ways.map(({ id, label }) => (
              <label key={id} className="chip">
                <input type="radio" name="way" className="sr-only" checked={way === id} onChange={() => choose(id)} />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {way === 'pay' && <PayCode listing={listing} reason={reason} />}
      {way === 'phantom' && reason && (
        <p role="status" className="text-small font-semibold">
          {reason}
        </p>
      )}
      {way === 'phantom' && !reason && (
        <>
          <p className="text-small text-dim">
            Scan it with your phone’s camera. The market opens in Phantom on this listing, and you buy it there.
          </p>
          <QrCode
            text={phantomBrowseLink(new URL(`${LISTING_PATH}${listing._id}`, publicOrigin))}
            label="Code that opens this listing in Phantom"
          />
        </>
      )}
    </section>
  )
}

interface PayCodeProps {
  listing: Listing
  /** Why it can no longer be bought; undefined if it can. */
  reason: string | undefined
}

/** A code with which a wallet pays at once, and the progress of the payment. */
function PayCode({ listing, reason }: PayCodeProps) {
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

/** How long "Copied" is shown. */
const COPIED_MS = 1_500

/** A QR code to scan from a screen, with its content as text and a button to copy it. Dark on light in both themes, as cameras expect. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => drawCode(text), [text])
  const [copied, setCopied] = useState(false)
  const copy = () =>
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), COPIED_MS)
    })
  return (
    <figure className="grid gap-3">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={label}
        shapeRendering="crispEdges"
        className="mx-auto aspect-square w-full max-w-80 rounded-field forced-color-adjust-none"
      >
        <rect width={size} height={size} fill="#fff" />
        <path d={path} fill="#14121f" />
      </svg>
      <figcaption className="flex items-center gap-3 rounded-field bg-well py-2 pr-2 pl-4">
        <code className="line-clamp-2 min-w-0 flex-1 text-tiny text-dim wrap-anywhere">{text}</code>
        <Button small onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </figcaption>
    </figure>
  )
}

/** The width of the light border around a code, in modules, so that cameras find its corners (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** One path over all dark modules, a rectangle for each run in a row. */
export function drawCode(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE })
  const runs = data.flatMap((row, y) => {
    const found: string[] = []
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue
      const start = x
      while (row[x + 1]) x++
      found.push(`M${start} ${y}h${x - start + 1}v1H${start}z`)
    }
    return found
  })
  return { path: runs.join(''), size }
}

/** The text under a payment link's QR code. */
export function payLinkText({ state, payMillisLeft }: PayLinkState): string {
  switch (state) {
    case 'open':
      return 'Waiting for your phone …'
    case 'held':
      return payMillisLeft > 0
        ? 'The listing is held for your wallet, which asks you to pay. Once paid, it shows here within half a minute.'
        : inMarketWords('The time to pay has run out. If you have paid, the drinks are on their way.')
    case 'paid':
      return 'Paid. The network is confirming it.'
    case 'delivered':
      return inMarketWords('Delivered. The drinks are in the inventory of the wallet that paid.')
    case 'expired':
      return 'This code has expired.'
  }
}

/** Makes a payment link for a listing. */
function payLinkMutation(id: string) {
  return mutationOptions({ mutationFn: () => callEndpoint<PayLink>(payLinkEndpoints.payLink, { params: { id } }) })
}

/** How often the page reloads the progress of a purchase by phone, in milliseconds. */
const PAY_LINK_MS = 2_000

/** The progress of the purchase through a payment link. */
function payLinkStateQuery(id: string) {
  return queryOptions({
    queryKey: ['pay-link', id],
    queryFn: ({ signal }) => callEndpoint<PayLinkState>(payLinkEndpoints.payLinkState, { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'delivered' || state.data?.state === 'expired' ? false : PAY_LINK_MS),
    meta: { quiet: true },
  })
}
