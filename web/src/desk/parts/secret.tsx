import { Button } from '../../ui/button.tsx'
import { Copyable } from './names.tsx'

interface SecretProps {
  what: string
  secret: string
  onPutAway: () => void
}

/** A secret that is shown this once. */
export function Secret({ what, secret, onPutAway }: SecretProps) {
  return (
    <div role="status" className="grid gap-3 rounded-field border border-edge p-4">
      <p className="text-small">
        <b className="font-semibold">{what} is shown this once.</b> Copy it now; nobody can show it again.
      </p>
      <div className="figures rounded-field bg-well px-4 py-2 text-small">
        <Copyable label="the secret" text={secret} />
      </div>
      <Button small className="justify-self-start" onClick={onPutAway}>
        I have it
      </Button>
    </div>
  )
}
