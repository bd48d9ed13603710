import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { showToast } from '../../feedback/notices.ts'
import { alertsQuery, callAlerts, firedSentence, firedSince, lastFired } from './alert-calls.ts'
import { readEndpoint, subscribe, wantsNotifications } from './browser-pushes.ts'

/** Announces alerts while the page is open, and keeps notifications on for when it is closed. It renders nothing itself. */
export function AlertWatch({ walletAddress }: { walletAddress: string }) {
  useFiredAlerts(walletAddress)
  useKeptNotifications(walletAddress)
  return null
}

/** The local storage key of the last alert that a toast announced. */
const toldKey = (walletAddress: string) => `alertsTold:${walletAddress}`

/** Announces alerts that fire, in each open tab, and those that fired while the app was closed. */
function useFiredAlerts(walletAddress: string): void {
  const { data: alerts } = useQuery(alertsQuery)
  /** In this tab; other tabs store the same value for the next visit. */
  const told = useRef<{ walletAddress: string; mark: string }>(undefined)
  useEffect(() => {
    if (!alerts) return
    const last = lastFired(alerts)
    // In a browser that has not seen this wallet before, earlier alerts are not new.
    const mark = told.current?.walletAddress === walletAddress ? told.current.mark : (localStorage.getItem(toldKey(walletAddress)) ?? last)
    const sentence = firedSentence(firedSince(alerts, mark))
    if (sentence) showToast(sentence, 'good')
    // Deleting the last one does not make earlier ones new.
    told.current = { walletAddress, mark: last > mark ? last : mark }
    localStorage.setItem(toldKey(walletAddress), told.current.mark)
  }, [alerts, walletAddress])
}

/**
 * Subscribes this browser again for a player who had notifications on, because they end with each session and browsers replace
 * subscriptions.
 */
function useKeptNotifications(walletAddress: string): void {
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
