import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { alertsQuery } from './alert-calls.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { firedSentence, firedSince, lastFired } from './alert-text.ts'

/** The local storage key of the last alert that a toast told of. */
const toldKey = (walletAddress: string) => `alertsTold:${walletAddress}`

/** Tells the player of alerts that fire, in each open tab, and of those that fired while the app was closed. */
export function useFiredAlerts(walletAddress: string): void {
  const { showToast } = useNotices()
  const { data: alerts } = useQuery(alertsQuery)
  /** By this tab; another one keeps the same note for the next visit. */
  const told = useRef<{ walletAddress: string; mark: string }>(undefined)
  useEffect(() => {
    if (!alerts) return
    const last = lastFired(alerts)
    // In a browser that does not know this wallet yet, what fired earlier is not new.
    const mark = told.current?.walletAddress === walletAddress ? told.current.mark : (localStorage.getItem(toldKey(walletAddress)) ?? last)
    const sentence = firedSentence(firedSince(alerts, mark))
    if (sentence) showToast(sentence, 'good')
    // Deleting the last one does not make earlier ones new.
    told.current = { walletAddress, mark: last > mark ? last : mark }
    localStorage.setItem(toldKey(walletAddress), told.current.mark)
  }, [alerts, walletAddress, showToast])
}
