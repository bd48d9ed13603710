import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'

import { configQuery } from '../../api/queries.ts'
import { DrinkPlate } from '../../catalogue/drink-image.tsx'
import { type SessionState, useSession } from '../../session/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { formatAmount, formatSol, formatUnitPrice } from '../../ui/format.ts'
import { useHydrated } from '../../ui/in-browser.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Part } from '../../ui/part.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { connectChosen } from '../../wallet/connect.ts'
import { useWallet } from '../../wallet/wallet-store.ts'
import { PHANTOM, platformOf } from '../../wallet/wallet.ts'
import { whyNotForSale } from './why-not-for-sale.ts'

/** What a listing is called. */
export function listingTitle({ amount, tokenName }: Listing): string {
  return `${formatAmount(amount)} ${tokenName}`
}

/** What its page is called. */
export function listingPageTitle(listing: Listing): string {
  return `${listingTitle(listing)} for ${formatSol(listing.price)} SOL`
}

export interface ListingContentProps {
  listing: Listing
  walletAddress: string | undefined
  /** Undefined while nothing can be bought. */
  onBuy: ((listing: Listing) => void) | undefined
  onClose: () => void
  /** The codes for a phone are on the screen. They stay: the hold that makes the listing unavailable may be the phone's. */
  byPhone: boolean
  /** Undefined if that is not offered here. */
  onByPhone: ((byPhone: boolean) => void) | undefined
}

/** Somebody is, or it is not known yet. Their wallet may have to be connected once more, which buying does. */
const isSignedIn = ({ authorization }: SessionState) => authorization !== 'signed-out'

/** What is offered, by whom, and how to buy it or why not. */
export function ListingContent({ listing, walletAddress, onBuy, onClose, byPhone, onByPhone }: ListingContentProps) {
  const isAlive = useHydrated()
  const isPlayer = useSession(isSignedIn) && isAlive
  const reason = whyNotForSale(listing, { walletAddress, closed: !onBuy })
  return (
    <>
      <ListingPrice listing={listing} small={byPhone} />
      {!byPhone && <ListingSeller listing={listing} />}
      {!reason && !byPhone && (
        <Button
          kind="primary"
          className="needs-script mt-6 w-full"
          onClick={() => {
            if (isSignedIn(useSession.getState())) onBuy?.(listing)
            else connectChosen()
          }}
        >
          {/* Both are always there: the button that is pressed before the script has arrived is the same afterwards. */}
          <span className={isPlayer ? 'hidden' : 'for-visitors'}>Choose a wallet to buy</span>
          <span className={isPlayer ? '' : 'for-players'}>Buy</span>
        </Button>
      )}
      {reason && !byPhone && (
        <p className="mt-5 font-semibold" role="status">
          {reason}
        </p>
      )}
      {(!reason || byPhone) && onByPhone && <BuyByPhone listing={listing} reason={reason} shown={byPhone} onShow={onByPhone} />}
      {reason && (
        <Button className="needs-script mt-5 w-full" onClick={onClose}>
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

/** The picture and the price of a listing. */
function ListingPrice({ listing, small = false }: { listing: Listing; small?: boolean }) {
  return (
    <div className="mt-5 flex items-center gap-4">
      <DrinkPlate tokenType={listing.tokenType} className={`flex-none rounded-field ${small ? 'h-18 w-16' : 'h-28 w-24'}`} />
      <p className="text-title font-bold">
        <span className="figures">{formatSol(listing.price)}</span> SOL
        <span className="figures block text-small font-normal text-dim">{formatUnitPrice(listing.unitPrice)} SOL each</span>
      </p>
    </div>
  )
}

/** Who sells a listing, and whether in parts. */
function ListingSeller({ listing }: { listing: Listing }) {
  return (
    <p className="mt-5 rounded-field bg-well p-4 text-small">
      <span className="text-dim">Seller</span> <span className="figures font-semibold wrap-anywhere">{listing.seller}</span>
      {listing.divisible && <span className="mt-1 block text-dim">You can also buy part of it.</span>}
    </p>
  )
}
