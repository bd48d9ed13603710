import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect } from 'react'

import { hasCode } from '../../api/refusals.ts'
import { listingQuery } from '../../api/listing-query.ts'
import { useTitle } from '../../navigation/path.ts'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useWallet } from '../../wallet/wallet-store.ts'
import { ListingContent, type ListingContentProps, listingPageTitle, listingTitle } from './listing-content.tsx'

interface ListingDialogProps extends Omit<ListingContentProps, 'listing'> {
  /** Undefined while the dialog closes. */
  listingId: string | undefined
  /** It takes the place of the first view, where nothing should be seen to change. */
  replaces: boolean
  onShown: () => void
}

/** One listing, at its own address: what it is, and how to buy it. */
export function ListingDialog({ listingId, replaces, onShown, ...content }: ListingDialogProps) {
  const { pickerOpen } = useWallet()
  const { data: listing, error, refetch } = useQuery(listingQuery(listingId))
  const unknown = hasCode(error, 'LISTING_NOT_FOUND')
  useTitle(unknown ? 'Not found' : listing && listingPageTitle(listing))
  const { onClose } = content
  return (
    <Modal
      lightDismiss
      arrivesLater
      instant={replaces}
      open={listingId !== undefined && !pickerOpen}
      title={unknown ? 'There is no such listing' : listing ? listingTitle(listing) : 'Listing'}
      onClose={onClose}
    >
      <Shown onShown={onShown} />
      {listing && <ListingContent listing={listing} {...content} />}
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

/** Before anything is painted. */
function Shown({ onShown }: { onShown: () => void }) {
  useLayoutEffect(onShown, [onShown])
  return null
}
