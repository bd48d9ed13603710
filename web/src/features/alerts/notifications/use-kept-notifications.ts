import { useEffect } from 'react'

import { callAlerts } from '../alert-calls.ts'
import { readEndpoint, subscribe, wantsNotifications } from './browser-pushes.ts'

/**
 * Subscribes this browser again for a player who had notifications on, because they end with each session and browsers replace
 * subscriptions.
 */
export function useKeptNotifications(walletAddress: string): void {
  useEffect(() => {
    if (!wantsNotifications(walletAddress)) return
    const keep = async () => {
      const [{ publicKey, endpoint }, own] = await Promise.all([callAlerts('push', {}), readEndpoint()])
      if (own === undefined || endpoint !== own) await subscribe(walletAddress, publicKey)
    }
    // The dialog shows that they are off.
    keep().catch(() => undefined)
  }, [walletAddress])
}
