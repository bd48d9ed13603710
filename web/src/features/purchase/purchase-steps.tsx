import { CheckIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { type PurchaseStep } from './order/progress.ts'
import { purchaseSteps, stepLabels } from './purchase.ts'

/**
 * The progress of a purchase; screen readers announce each step when it is done. `step` is the last one reached, or `approve` while the
 * wallet is asked.
 */
export function PurchaseSteps({ step }: { step: PurchaseStep }) {
  const reached = purchaseSteps.indexOf(step)
  return (
    <ol aria-live="polite" className="grid gap-2.5 text-left text-small font-semibold">
      {purchaseSteps.map((name, index) => {
        const done = index < reached || step === 'delivered' || (index === reached && step !== 'approve')
        const current = !done && index === (step === 'approve' ? 0 : reached + 1)
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
