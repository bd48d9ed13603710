import { useSignIn } from '../../../session/use-sign-in.ts'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { useConnect } from '../../../wallet/use-connect.ts'
import { openPicker, useWallet } from '../../../wallet/wallet-store.ts'
import { formatLamports } from '../order/order-text.ts'
import { totalOf } from '../order/order-terms.ts'
import { type Order } from '../order/order.ts'
import { usePurchase } from '../use-purchase.ts'
import { type Obstacle, type Step } from './screen.ts'

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

/** The page's one button: it does what comes next. All of them are one button to React, so that the focus stays. */
export function PayButton({ step, obstacle, order, isTooSoon }: PayButtonProps) {
  const { connectChosen } = useConnect()
  const signIn = useSignIn()
  const { place } = usePurchase()
  const isBusy = step === 'checking' || step === 'connecting' || step === 'signing-in'
  const switches = obstacle?.kind === 'other wallet' || obstacle?.kind === 'wallet cannot pay'
  const isBlocked = obstacle !== undefined && !switches && (step === 'pay' || obstacle.kind !== 'unpriced')
  const press = () => {
    const { connected } = useWallet.getState()
    if (switches) openPicker()
    else if (step === 'connect') connectChosen()
    else if (step === 'sign-in' && connected) signIn(connected)
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
