import { type ReactNode, useEffect, useRef } from 'react'

import { DrinkPlate } from '../../../catalogue/drink-image.tsx'
import { useTitle } from '../../../navigation/use-title.ts'
import { useSession } from '../../../session/session-store.ts'
import { formatAmount, formatUnitPrice } from '../../../ui/format.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { type ReadCheckout } from './checkout-query.ts'
import { ExpiredCheckout, PaidCheckout } from './ended-checkout.tsx'
import { NoCheckout } from './no-checkout.tsx'
import { OpenCheckout } from './open-checkout.tsx'
import { PaymentUnderWay } from './payment-under-way.tsx'
import { returnHost } from './return-address.ts'
import { screenText } from './screen-text.ts'
import { type ShownCheckout, useCheckout } from './use-checkout.ts'
import { useLeave, useReturn } from './use-leave.ts'

/** What a game asks a player to pay for, from the price to the way back. */
export function CheckoutPage({ publicId }: { publicId: string }) {
  const walletAddress = useSession(({ user }) => user?.walletAddress)
  const shown = useCheckout(publicId, walletAddress)
  const { screen, checkout } = shown
  const subject = checkout && `${formatAmount(checkout.amount)} ${checkout.tokenName}`
  useTitle(subject)
  const card = useKeptFocus(screen.kind)
  return (
    <section ref={card} tabIndex={-1} aria-labelledby="checkout-title" className="card w-full max-w-104 overflow-hidden outline-none">
      <p role="status" className="sr-only">
        {screenText(screen)}
      </p>
      {checkout && subject ? (
        <>
          <DrinkPlate tokenType={checkout.tokenType} className="h-32 sm:h-40" />
          <div className="grid gap-4 p-4 sm:p-5">
            <Subject title={subject} checkout={checkout} quote={screen.kind === 'open' ? shown.quote : undefined} />
            <State shown={shown} checkout={checkout} publicId={publicId} />
          </div>
        </>
      ) : (
        <NoCheckout kind={screen.kind} />
      )}
    </section>
  )
}

function Subject({ title, checkout, quote }: { title: string; checkout: ReadCheckout; quote: ShownCheckout['quote'] }) {
  const host = returnHost(checkout.returnUrl)
  return (
    <div>
      <h1 id="checkout-title" className="text-title">
        {title}
      </h1>
      <p className="mt-1 text-small text-dim">
        {quote?.complete && quote.amount > 1 && `${formatUnitPrice(quote.averageUnitPrice ?? 0)} SOL each. `}
        {host !== undefined && (
          <>
            You return to <b className="font-semibold wrap-anywhere text-text">{host}</b>
          </>
        )}
      </p>
    </div>
  )
}

function State({ shown, checkout, publicId }: { shown: ShownCheckout; checkout: ReadCheckout; publicId: string }): ReactNode {
  const { screen } = shown
  const leave = useLeave(checkout)
  useReturn(screen.kind === 'completed' && screen.mine, leave)
  const host = returnHost(checkout.returnUrl)
  switch (screen.kind) {
    case 'open':
      return <OpenCheckout shown={shown} checkout={checkout} screen={screen} onCancel={() => leave('cancelled')} />
    case 'paying':
      return screen.mine ? <PaymentUnderWay shown={shown} publicId={publicId} /> : <PaidElsewhere />
    case 'completed':
      return <PaidCheckout mine={screen.mine} host={host} onLeave={() => leave('completed')} />
    case 'expired':
      return <ExpiredCheckout host={host} onLeave={() => leave('expired')} />
    default:
      return null
  }
}

function PaidElsewhere() {
  return (
    <p className="flex items-center gap-3 rounded-field bg-well p-4 text-small font-semibold">
      <Spinner className="size-5 flex-none" />A payment for this checkout is under way. This page shows what becomes of it.
    </p>
  )
}

/** What is pressed may be replaced: the focus then stays on the card, so that the next Tab goes on from there. */
function useKeptFocus(kind: string) {
  const card = useRef<HTMLElement>(null)
  const before = useRef(kind)
  useEffect(() => {
    if (before.current === kind) return
    before.current = kind
    if (document.activeElement === document.body) card.current?.focus({ preventScroll: true })
  }, [kind])
  return card
}
