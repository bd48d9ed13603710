import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

import { openPurchasesQuery } from '../../api/player-queries.ts'
import { Button } from '../../ui/button.tsx'
import { formatCountdown } from '../../ui/format.ts'
import { CheckIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useNow } from '../../ui/use-now.ts'
import { isPurchaseOf, unansweredText } from './order/order-terms.ts'
import { type Order, type PurchaseStep, purchaseSteps, stepLabels, stepsDone } from './order/order.ts'
import { type RunningPurchase, usePurchase } from './use-purchase.ts'

/** How far a purchase under way has come, and what it waits for. */
export function PurchaseState({ running }: { running: RunningPurchase }) {
  const { order, step, payUntil, retryAt, again, unanswered } = running
  return (
    <>
      <div role="status">
        {retryAt !== undefined && <Waiting retryAt={retryAt} />}
        {again && !unanswered && <Note>Your wallet took longer than Solana allows. Nothing was sent. Please approve once more.</Note>}
        {unanswered && <Note>{unansweredText}</Note>}
      </div>
      {retryAt === undefined && !unanswered && (
        <div className="mt-6 rounded-field bg-well p-4">
          <PurchaseSteps step={step} />
        </div>
      )}
      {step === 'approve' && payUntil !== undefined && <TimeLeft order={order} payUntil={payUntil} />}
    </>
  )
}

function Note({ children }: { children: string }) {
  return <p className="mt-6 rounded-field bg-well p-4 text-left text-small">{children}</p>
}

function Waiting({ retryAt }: { retryAt: number }) {
  const note = useRef<HTMLParagraphElement>(null)
  // What was pressed is gone, so the focus is placed here; the next Tab reaches the buttons.
  useEffect(() => note.current?.focus({ preventScroll: true }), [])
  return (
    <p ref={note} tabIndex={-1} className="mt-6 rounded-field bg-well p-4 text-left text-small outline-none">
      <RetryNote retryAt={retryAt} />
    </p>
  )
}

/** The progress of a purchase; screen readers announce each step when it is done. */
export function PurchaseSteps({ step }: { step: PurchaseStep }) {
  return (
    <ol aria-live="polite" className="grid gap-2.5 text-left text-small font-semibold">
      {purchaseSteps.map((name, index) => {
        const done = index < stepsDone[step]
        const current = index === stepsDone[step]
        return (
          <li
            key={name}
            aria-atomic="true"
            aria-current={current ? 'step' : undefined}
            className={`flex items-center gap-3 ${done || current ? '' : 'text-dim'}`}
          >
            <span className={`grid size-7 flex-none place-items-center rounded-full ${done ? 'bg-good text-page' : 'border border-line'}`}>
              {done && <CheckIcon />}
              {current && <Spinner className="size-4" />}
            </span>
            {stepLabels[name]}
            {done && <span className="sr-only">, done</span>}
          </li>
        )
      })}
    </ol>
  )
}

/** Says that the server is too busy to hold a listing, that nothing has happened, and when the next attempt is. */
export function RetryNote({ retryAt }: { retryAt: number }) {
  return (
    <>
      Many people are buying right now. Nothing was held, and no SOL moved. <NextAttempt key={retryAt} retryAt={retryAt} />
    </>
  )
}

/** Screen readers get the wait once; they would announce a countdown every second. */
function NextAttempt({ retryAt }: { retryAt: number }) {
  const left = Math.ceil((retryAt - useNow()) / 1_000)
  const [seconds] = useState(left)
  return (
    <>
      <span className="sr-only">Trying again in {seconds} seconds.</span>
      <span aria-hidden="true" className="figures whitespace-nowrap">
        {left > 0 ? `Trying again in ${left} s.` : 'Trying again …'}
      </span>
    </>
  )
}

/** The choice of a buyer whose wallet took longer than the chain allows. */
export function ApproveOnceMore() {
  const { cancel, approveAgain } = usePurchase()
  return (
    <div className="mt-4 flex flex-wrap gap-3 *:flex-1">
      <Button onClick={cancel}>Cancel purchase</Button>
      <Button kind="primary" onClick={approveAgain}>
        Approve once more
      </Button>
    </div>
  )
}

/** An outage may extend the time to pay: the server then says so in the buyer's open purchases, and the countdown follows. */
function TimeLeft({ order, payUntil }: { order: Order; payUntil: number }) {
  const { data, dataUpdatedAt } = useQuery(openPurchasesQuery)
  const purchase = data?.find((open) => isPurchaseOf(order, open))
  const until = purchase ? dataUpdatedAt + purchase.payMillisLeft : payUntil
  const now = useNow()
  return (
    <p className="mt-4 text-small text-dim">
      Reserved for you for another <span className="figures font-semibold text-text">{formatCountdown(until - now)}</span>
    </p>
  )
}
