import { useCallback, useEffect } from 'react'

import { Button } from '../../../ui/button.tsx'
import { leaveCheckout, type ReturnStatus } from './return-address.ts'

/** Back to the game. An address that the page may not open has no button. */
export function WayBack({ host, note, onLeave }: { host: string | undefined; note?: string | undefined; onLeave: () => void }) {
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

/** How long a player sees that it is delivered before the page returns by itself, in milliseconds. */
const RETURN_MS = 2_500

/** Returns to the game, which is told the checkout and this status. */
export function useLeave(checkout: { id: string; returnUrl: string } | undefined): (status: ReturnStatus) => void {
  const { id, returnUrl } = checkout ?? {}
  return useCallback(
    (status) => {
      if (id !== undefined && returnUrl !== undefined) leaveCheckout(returnUrl, { id, status })
    },
    [id, returnUrl],
  )
}

/** Returns by itself once this page has seen the payment be delivered, but not where the player comes back to a checkout that is paid. */
export function useReturn(delivered: boolean, leave: (status: ReturnStatus) => void): void {
  useEffect(() => {
    if (!delivered) return undefined
    const timer = setTimeout(() => leave('completed'), RETURN_MS)
    return () => clearTimeout(timer)
  }, [delivered, leave])
}
