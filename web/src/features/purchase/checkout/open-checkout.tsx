import { solText } from '@juicebar/contract/money'
import { type ReactNode, useEffect, useState } from 'react'

import { signInOrTell } from '../../../session/sign-in-button.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatClock, formatCountdown } from '../../../ui/format.ts'
import { InBrowser } from '../../../ui/in-browser.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { connectChosen } from '../../../wallet/connect.ts'
import { openPicker, useWallet } from '../../../wallet/wallet-store.ts'
import { type ShownPrice, watchPrice } from '../best-price/quote.ts'
import { formatLamports, priceOf, totalOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'
import { usePurchase } from '../use-purchase.ts'
import { type ReadCheckout } from './checkout-query.ts'
import { hasNothingToPay, type Obstacle, obstacleText, type Screen, type Step } from './screen.ts'
import { type ShownCheckout } from './use-checkout.ts'
import { WayBack } from './way-back.tsx'

interface OpenCheckoutProps {
  shown: Pick<ShownCheckout, 'order' | 'networkFee' | 'reopened'>
  checkout: ReadCheckout
  screen: Extract<Screen, { kind: 'open' }>
  /** Where it returns to; undefined if the page may not open that address. */
  host: string | undefined
  onCancel: () => void
}

/** A checkout that can be paid, or what is in the way. */
export function OpenCheckout({
  shown: { order, networkFee, reopened },
  checkout,
  screen: { obstacle, step },
  host,
  onCancel,
}: OpenCheckoutProps) {
  const risen = useRisen(checkout.amount, order && totalOf(order))
  const text = obstacle && obstacleText(obstacle, checkout.tokenName)
  const isUnpriced = obstacle?.kind === 'short' || obstacle?.kind === 'delisted'
  const openUntil = (
    <InBrowser fallback={<span />}>
      <OpenUntil until={checkout.until} />
    </InBrowser>
  )
  return (
    <>
      {!isUnpriced && <Terms order={order} networkFee={networkFee} />}
      <div role="status" className="grid gap-2 text-small font-semibold text-warn empty:hidden">
        {reopened && <p>The payment ended unpaid, so this checkout is open again.</p>}
        {text && <p>{text}</p>}
        {!text && risen.from !== undefined && <p>It was {formatLamports(risen.from)} SOL a moment ago.</p>}
      </div>
      {hasNothingToPay(obstacle) ? (
        <>
          <WayBack host={host} onLeave={onCancel} />
          {obstacle.kind !== 'delisted' && openUntil}
        </>
      ) : (
        <>
          <div className="grid gap-2">
            <PayButton step={step} obstacle={obstacle} order={order} isTooSoon={risen.isTooSoon} />
            {obstacle?.kind === 'poor' && (
              <Button className="w-full" onClick={openPicker}>
                Use another wallet
              </Button>
            )}
          </div>
          <div className="-my-2 flex items-center justify-between gap-4">
            {openUntil}
            <Button kind="bare" className="-mr-3" onClick={onCancel}>
              Cancel
            </Button>
          </div>
        </>
      )}
    </>
  )
}

interface TermsProps {
  /** undefined until there is a price. */
  order: Order | undefined
  /** In lamports. */
  networkFee: bigint
}

/** What a checkout costs: the price, the studio's fee if there is one, the total, and the network's fee. */
export function Terms({ order, networkFee }: TermsProps) {
  return (
    <dl aria-busy={order === undefined} className="grid gap-2 rounded-field bg-well p-4 text-small">
      {order && order.fee > 0n && (
        <>
          <Row label="Price">{formatLamports(priceOf(order.items))} SOL</Row>
          <Row label="Studio fee">{formatLamports(order.fee)} SOL</Row>
        </>
      )}
      <div className="flex items-baseline justify-between gap-4">
        <dt className="font-semibold">Total</dt>
        <dd className="figures text-right text-lead font-bold wrap-anywhere">
          {order ? `${formatLamports(totalOf(order))} SOL` : <span className="breathe text-dim">…</span>}
        </dd>
      </div>
      <Row label="Network fee">about {solText(networkFee)} SOL</Row>
    </dl>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-2">
      <dt className="flex-none text-dim">{label}</dt>
      <dd className="figures text-right font-semibold wrap-anywhere">{children}</dd>
    </div>
  )
}

/** Only this close to the end do seconds count, in milliseconds. */
const COUNTDOWN_MS = 120_000

/** Until when a checkout can be paid. Screen readers would announce a countdown every second, so it is a visual one. */
function OpenUntil({ until }: { until: number }) {
  const left = until - useNow()
  return (
    <p className="figures text-tiny text-dim" aria-live="off">
      {left > COUNTDOWN_MS ? `Open until ${formatClock(until)}` : `Open for another ${formatCountdown(left)}`}
    </p>
  )
}

const labels: Record<Exclude<Step, 'pay'>, string> = {
  checking: 'One moment',
  connect: 'Connect wallet',
  connecting: 'Connecting ...',
  'sign-in': 'Sign in',
  'signing-in': 'Waiting for your signature',
}

interface PayButtonProps {
  step: Step
  obstacle: Obstacle | undefined
  order: Order | undefined
  /** A press now would be meant for the price before. */
  isTooSoon: boolean
}

/** The page's one button: it does what comes next. As long as it is there it is one button to React, so that the focus stays. */
function PayButton({ step, obstacle, order, isTooSoon }: PayButtonProps) {
  const { place } = usePurchase()
  const isBusy = step === 'checking' || step === 'connecting' || step === 'signing-in'
  const switches = obstacle?.kind === 'other wallet' || obstacle?.kind === 'wallet cannot pay'
  const isBlocked = obstacle !== undefined && !switches && (step === 'pay' || obstacle.kind !== 'unpriced')
  const press = () => {
    const { connected } = useWallet.getState()
    if (switches) openPicker()
    else if (step === 'connect') connectChosen()
    else if (step === 'sign-in' && connected) signInOrTell(connected)
    else if (step === 'pay' && order) place(order)
  }
  return (
    <Button kind="primary" className="h-12 w-full" disabled={isBusy || isBlocked || isTooSoon} onClick={press}>
      {isBusy && <Spinner className="size-4" />}
      {switches ? 'Use another wallet' : step === 'pay' ? payText(order) : labels[step]}
    </Button>
  )
}

function payText(order: Order | undefined): string {
  return order ? `Pay ${formatLamports(totalOf(order))} SOL` : 'Pay'
}

/** A press this soon after the price has risen was meant for the price before, in milliseconds. */
const TOO_SOON_MS = 700

interface Risen {
  /** What it cost before it rose while it was shown, in lamports; undefined if it did not rise. */
  from: bigint | undefined
  /** It has only just risen. */
  isTooSoon: boolean
}

/** Watches whether the price of an amount rises while it is shown. */
function useRisen(amount: number, total: bigint | undefined): Risen {
  const [shown, setShown] = useState<ShownPrice>()
  const [seen, setSeen] = useState(total)
  if (total !== undefined) {
    const next = watchPrice(shown, amount, total)
    if (shown?.total !== next.total || shown.amount !== next.amount) setShown(next)
  }
  useEffect(() => {
    const timer = setTimeout(() => setSeen(total), TOO_SOON_MS)
    return () => clearTimeout(timer)
  }, [total])
  const from = total === undefined ? undefined : shown?.risenFrom
  return { from, isTooSoon: from !== undefined && seen !== total }
}
