import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { ApiError } from '../../api/api-error.ts'
import { listingQuery } from '../../api/listing-query.ts'
import { configQuery } from '../../api/queries.ts'
import { useTitle } from '../../navigation/path.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol } from '../../ui/format.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Modal } from '../../ui/modal.tsx'
import { Part } from '../../ui/part.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { PHANTOM, platformOf } from '../../wallet/wallet.ts'
import { useConnect } from '../../wallet/use-connect.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { ListingPrice, ListingSeller } from './first-view-of-listing.tsx'
import { whyNotForSale } from './why-not-for-sale.ts'

interface ListingDialogProps {
  /** Undefined while the dialog closes. */
  listingId: string | undefined
  walletAddress: string | undefined
  /** Undefined while nothing can be bought. */
  onBuy: ((listing: Listing) => void) | undefined
  onClose: () => void
}

/** One listing, at its own address: what it is, and how to buy it. */
export function ListingDialog({ listingId, walletAddress, onBuy, onClose }: ListingDialogProps) {
  const { pickerOpen } = useWallet()
  const { data: listing, error, refetch } = useQuery(listingQuery(listingId))
  const title = listing ? `${formatAmount(listing.amount)} ${listing.tokenName}` : 'Listing'
  const unknown = error instanceof ApiError && error.code === 'LISTING_NOT_FOUND'
  useTitle(unknown ? 'Not found' : listing && `${title} for ${formatSol(listing.price)} SOL`)
  return (
    <Modal
      lightDismiss
      arrivesLater
      open={listingId !== undefined && !pickerOpen}
      title={unknown ? 'There is no such listing' : title}
      onClose={onClose}
    >
      {listing && <Offer key={listing._id} listing={listing} walletAddress={walletAddress} onBuy={onBuy} onClose={onClose} />}
      {!listing && !error && (
        <div className="grid min-h-86 place-items-center">
          <Spinner className="size-8" />
        </div>
      )}
      {!listing && error && (
        <div className="mt-4 grid gap-5">
          <p className="text-dim">{unknown ? 'The address may be incomplete.' : error.message}</p>
          {unknown ? <Button onClick={onClose}>See what is for sale</Button> : <Button onClick={() => void refetch()}>Try again</Button>}
        </div>
      )}
    </Modal>
  )
}

type OfferProps = Omit<ListingDialogProps, 'listingId'> & { listing: Listing }

function Offer({ listing, walletAddress, onBuy, onClose }: OfferProps) {
  // Once its codes are on the screen, they stay: the hold that makes the listing unavailable may be the phone's.
  const [byPhone, setByPhone] = useState(false)
  const { connected } = useWallet()
  const { connectChosen } = useConnect()
  const ready = walletAddress !== undefined && connected !== undefined
  const reason = whyNotForSale(listing, { walletAddress, closed: !onBuy })
  return (
    <>
      <ListingPrice listing={listing} small={byPhone} />
      {!byPhone && <ListingSeller listing={listing} />}
      {!reason && !byPhone && (
        <Button
          kind="primary"
          className="mt-6 w-full"
          onClick={() => {
            if (ready) onBuy?.(listing)
            else connectChosen()
          }}
        >
          {ready ? 'Buy' : 'Choose a wallet to buy'}
        </Button>
      )}
      {reason && !byPhone && (
        <p className="mt-5 font-semibold" role="status">
          {reason}
        </p>
      )}
      {(!reason || byPhone) && <BuyByPhone listing={listing} reason={reason} shown={byPhone} onShow={setByPhone} />}
      {reason && (
        <Button className="mt-5 w-full" onClick={onClose}>
          See what else is for sale
        </Button>
      )}
    </>
  )
}

const PhoneCodes = lazyComponent(async () => (await import('./phone-codes.tsx')).PhoneCodes)

interface BuyByPhoneProps {
  listing: Listing
  /** Why it can no longer be bought; undefined if it can. */
  reason: string | undefined
  /** The codes are on the screen. */
  shown: boolean
  onShow: (shown: boolean) => void
}

/** On a computer without Phantom: the way to buy with a phone, or why there is none. */
function BuyByPhone({ listing, reason, shown, onShow }: BuyByPhoneProps) {
  const { present } = useWallet()
  const { data: config } = useQuery(configQuery)
  if (!config || platformOf(navigator) !== 'desktop' || present.some(({ name }) => name === PHANTOM)) return null
  if (shown && config.publicOrigin !== null) {
    return (
      <Part fallback={<Spinner className="mx-auto my-20 size-8" />}>
        <PhoneCodes listing={listing} reason={reason} publicOrigin={config.publicOrigin} walletsSend={config.walletSends !== 'off'} />
        {!reason && (
          <Button kind="bare" className="mt-3 w-full" onClick={() => onShow(false)}>
            Buy here instead
          </Button>
        )}
      </Part>
    )
  }
  return (
    <>
      <Button
        className="mt-3 w-full"
        disabled={config.publicOrigin === null}
        aria-describedby={config.publicOrigin === null ? 'no-phone' : undefined}
        onClick={() => onShow(true)}
      >
        Buy with your phone
      </Button>
      {config.publicOrigin === null && (
        <p id="no-phone" className="mt-3 text-small text-dim">
          A phone cannot reach this market, because it has no public https address.
        </p>
      )}
    </>
  )
}
