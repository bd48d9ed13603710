import { LISTING_PATH } from '@juicebar/contract/market-settings'
import { type Listing } from '@juicebar/contract/schemas'
import { useState } from 'react'

import { PayCode } from './pay-code.tsx'
import { phantomBrowseLink } from './listing-words.ts'
import { QrCode } from './qr-code.tsx'

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
          <QrCode text={phantomBrowseLink(`${LISTING_PATH}${listing._id}`, publicOrigin)} label="Code that opens this listing in Phantom" />
        </>
      )}
    </section>
  )
}
