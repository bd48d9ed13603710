import { type Listing } from '@juicebar/contract/schemas'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'

import { configQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { platformOf } from '../../wallet/platform.ts'
import { PHANTOM } from '../../wallet/wallet.ts'
import { useWallet } from '../../wallet/wallet-store.ts'

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
export function BuyByPhone({ listing, reason, shown, onShow }: BuyByPhoneProps) {
  const { present } = useWallet()
  const { data: config } = useQuery(configQuery)
  if (!config || platformOf(navigator) !== 'desktop' || present.some(({ name }) => name === PHANTOM)) return null
  if (shown && config.publicOrigin !== null) {
    return (
      <Suspense fallback={<Spinner className="mx-auto my-20 size-8" />}>
        <PhoneCodes listing={listing} reason={reason} publicOrigin={config.publicOrigin} walletsSend={config.walletSends !== 'off'} />
        {!reason && (
          <Button kind="bare" className="mt-3 w-full" onClick={() => onShow(false)}>
            Buy here instead
          </Button>
        )}
      </Suspense>
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
