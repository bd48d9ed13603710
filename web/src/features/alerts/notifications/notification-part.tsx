import { Button } from '../../../ui/button.tsx'
import { stateTexts } from './notifications.ts'
import { useNotifications } from './use-notifications.ts'

/** Whether this browser notifies while the page is closed, and the switch for it. */
export function NotificationPart({ walletAddress }: { walletAddress: string }) {
  const { state, failed, busy, problem, turnOn, turnOff } = useNotifications(walletAddress)
  const text = state
    ? stateTexts[state]
    : failed
      ? 'Could not check whether notifications are on.'
      : 'Checking whether notifications are on…'
  return (
    <section aria-labelledby="notifications-title" className="grid gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56" aria-live="polite">
          <h3 id="notifications-title" className="text-small font-semibold">
            Notifications{state === 'on' && ': on'}
          </h3>
          <p className="mt-0.5 text-tiny text-dim">{text}</p>
        </div>
        {state === 'off' && (
          <Button small disabled={busy} onClick={turnOn}>
            {busy ? 'Turning on…' : 'Turn on'}
          </Button>
        )}
        {state === 'on' && (
          <Button small disabled={busy} onClick={turnOff}>
            {busy ? 'Turning off…' : 'Turn off'}
          </Button>
        )}
      </div>
      {problem && !busy && (
        <p role="alert" className="text-small font-semibold text-warn">
          {problem}
        </p>
      )}
    </section>
  )
}
