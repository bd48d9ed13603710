import { Button } from '../../../ui/button.tsx'
import { CheckIcon, WarningIcon } from '../../../ui/icons.tsx'
import { PurchaseSteps } from '../purchase-steps.tsx'

/** A checkout that is paid: what it was, and the way back. */
export function PaidCheckout({ mine, host, onLeave }: { mine: boolean; host: string | undefined; onLeave: () => void }) {
  return (
    <>
      {mine ? (
        <div className="rounded-field bg-well p-4">
          <PurchaseSteps step="delivered" />
        </div>
      ) : (
        <Outcome good text="This checkout has been paid, and everything is delivered." />
      )}
      <WayBack host={host} note={mine ? 'You return by yourself in a moment.' : undefined} onLeave={onLeave} />
    </>
  )
}

/** A checkout that nobody has paid in time. */
export function ExpiredCheckout({ host, onLeave }: { host: string | undefined; onLeave: () => void }) {
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

/** Back to the game. An address that the page may not open has no button. */
function WayBack({ host, note, onLeave }: { host: string | undefined; note?: string | undefined; onLeave: () => void }) {
  if (host === undefined) return <p className="text-small text-dim">You can close this page and go back to the game.</p>
  return (
    <div className="grid gap-2 text-center">
      <Button kind="primary" className="h-auto min-h-12 w-full py-2 whitespace-normal wrap-anywhere" onClick={onLeave}>
        Back to {host}
      </Button>
      {note && <p className="text-tiny text-dim">{note}</p>}
    </div>
  )
}
