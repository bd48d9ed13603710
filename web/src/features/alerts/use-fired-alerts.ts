import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { alertsQuery } from './alert-calls.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { firedSentence, firedSince, lastFired } from './alert-text.ts'

/** The local storage key of the last alert that a toast announced. */
const toldKey = (walletAddress: string) => `alertsTold:${walletAddress}`

/** Announces alerts that fire, in each open tab, and those that fired while the app was closed. */
export function useFiredAlerts(walletAddress: string): void {
  const { showToast } = useNotices()
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
  }, [alerts, walletAddress, showToast])
}
