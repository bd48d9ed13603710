import { useCallback, useEffect } from 'react'

import { leaveCheckout } from './leave-checkout.ts'
import { type ReturnStatus } from './return-address.ts'

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
