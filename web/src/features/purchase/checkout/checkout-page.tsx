import { type ReactNode, useEffect, useRef } from 'react'
import { type Purchase } from '@juicebar/contract/schemas'

import { DrinkPlate } from '../../../catalogue/drink-image.tsx'
import { useTitle } from '../../../navigation/path.ts'
import { useSession } from '../../../session/session-store.ts'
import { Button } from '../../../ui/button.tsx'
import { formatAmount, formatUnitPrice } from '../../../ui/format.ts'
import { CheckIcon, WarningIcon } from '../../../ui/icons.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { HoldActions, HoldState } from '../hold/open-hold.tsx'
import { studioDecidesText, unansweredText } from '../order/order-terms.ts'
import { stepOf } from '../order/order.ts'
import { ApproveOnceMore, PurchaseState, PurchaseSteps } from '../purchase-state.tsx'
import { type RunningPurchase, usePurchase } from '../use-purchase.ts'
import { type ReadCheckout } from './checkout-query.ts'
import { OpenCheckout, Terms } from './open-checkout.tsx'
import { returnHost } from './return-address.ts'
import { hasNothingToPay, type Screen, screenText } from './screen.ts'
import { type ShownCheckout, useCheckout } from './use-checkout.ts'
import { useLeave, useReturn, WayBack } from './way-back.tsx'

/** What a game asks a player to pay for, from the price to the way back. */
export function CheckoutPage({ publicId }: { publicId: string }) {
  const walletAddress = useSession(({ user }) => user?.walletAddress)
  const shown = useCheckout(publicId, walletAddress)
  const { screen, checkout } = shown
  const subject = checkout && `${formatAmount(checkout.amount)} ${checkout.tokenName}`
  useTitle(subject)
  const card = useKeptFocus(screen.kind === 'open' && hasNothingToPay(screen.obstacle) ? 'nothing to pay' : screen.kind)
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
      return <OpenCheckout shown={shown} checkout={checkout} screen={screen} host={host} onCancel={() => leave('cancelled')} />
    case 'paying':
      return screen.mine ? <PaymentUnderWay shown={shown} publicId={publicId} /> : <PaidElsewhere />
    case 'completed':
      return (
        <>
          {screen.mine ? <Receipt shown={shown} /> : <Outcome good text="This checkout has been paid, and everything is delivered." />}
          <WayBack
            host={host}
            note={screen.mine ? 'You go back automatically in a moment.' : undefined}
            onLeave={() => leave('completed')}
          />
        </>
      )
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
function useKeptFocus(shown: string) {
  const card = useRef<HTMLElement>(null)
  const before = useRef(shown)
  useEffect(() => {
    if (before.current === shown) return
    before.current = shown
    if (document.activeElement === document.body) card.current?.focus({ preventScroll: true })
  }, [shown])
  return card
}

/** What the player has paid, and that it is delivered. */
function Receipt({ shown: { ordered, networkFee } }: { shown: ShownCheckout }) {
  return (
    <>
      {ordered && <Terms order={ordered} networkFee={networkFee} />}
      <div className="rounded-field bg-well p-4">
        <PurchaseSteps step="delivered" />
      </div>
    </>
  )
}

/** A checkout that nobody has paid in time. */
function ExpiredCheckout({ host, onLeave }: { host: string | undefined; onLeave: () => void }) {
  return (
    <>
      <Outcome text="The time to pay is over. Nothing was paid here. Start again in the game." />
      <WayBack host={host} onLeave={onLeave} />
    </>
  )
}

function Outcome({ good = false, text }: { good?: boolean; text: string }) {
  return (
    <p className="flex items-center gap-3 rounded-field bg-well p-4 text-small font-semibold">
      <span className={good ? 'text-good' : 'text-warn'}>{good ? <CheckIcon /> : <WarningIcon />}</span>
      {text}
    </p>
  )
}

/** There is no checkout to show, or not yet. */
function NoCheckout({ kind }: { kind: Screen['kind'] }) {
  return (
    <div className="grid justify-items-center gap-4 px-6 py-14 text-center">
      {kind !== 'missing' && <Spinner className="size-8 text-dim" />}
      <h1 id="checkout-title" className="text-lead">
        {kind === 'missing'
          ? 'This checkout does not exist'
          : kind === 'unreachable'
            ? 'The market cannot be reached'
            : 'Loading the checkout'}
      </h1>
      {kind === 'unreachable' && <p className="text-small text-dim">This page tries again by itself. Check your internet connection.</p>}
      {kind === 'missing' && (
        <>
          <p className="text-small text-dim">The address may be incomplete. Start again in the game.</p>
          <a href="/" className="button button-quiet">
            Go to the market
          </a>
        </>
      )}
    </div>
  )
}

interface PaymentUnderWayProps {
  shown: Pick<ShownCheckout, 'underWay' | 'ordered' | 'networkFee' | 'readAt'>
  publicId: string
}

/** The player's payment, step by step, also after a reload and in another tab. */
function PaymentUnderWay({ shown: { underWay, ordered, networkFee, readAt }, publicId }: PaymentUnderWayProps) {
  const { running, interrupted, open } = underWay
  return (
    <>
      <Terms order={ordered} networkFee={networkFee} />
      {running ? (
        <Running running={running} />
      ) : interrupted ? (
        <p role="status" className="text-small">
          {unansweredText}
        </p>
      ) : (
        open && <OpenPayment purchase={open} readAt={readAt} checkout={publicId} />
      )}
    </>
  )
}

function Running({ running }: { running: RunningPurchase }) {
  const { cancel } = usePurchase()
  const { retryAt, again } = running
  return (
    <div className="-mt-6">
      <PurchaseState running={running} />
      {retryAt !== undefined && (
        <Button className="mt-4 w-full" onClick={cancel}>
          Cancel purchase
        </Button>
      )}
      {retryAt === undefined && again === 'waits' && <ApproveOnceMore />}
    </div>
  )
}

function OpenPayment({ purchase, readAt, checkout }: { purchase: Purchase; readAt: number; checkout: string }) {
  const { signature, coSigned, waitsForStudio, payMillisLeft } = purchase
  if (waitsForStudio) {
    return (
      <p role="status" className="text-small">
        {studioDecidesText}
      </p>
    )
  }
  if (signature !== null || coSigned) {
    return (
      <div className="rounded-field bg-well p-4">
        <PurchaseSteps step={stepOf(purchase)} />
      </div>
    )
  }
  const until = payMillisLeft && readAt + payMillisLeft
  return (
    <>
      <HoldState until={until} />
      <div className="flex gap-3 *:flex-1 empty:hidden">
        <HoldActions purchase={purchase} until={until} checkout={checkout} />
      </div>
    </>
  )
}
