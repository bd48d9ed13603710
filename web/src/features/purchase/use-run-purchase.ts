import { type Purchase } from '@juicebar/contract/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useCallback } from 'react'

import { configQuery } from '../../api/queries.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { type BoughtListing } from './purchase.ts'
import { useOutcome } from './use-outcome.ts'
import { type RunningPurchase } from './use-purchase.ts'

const PURCHASE = ['purchase']
/** How long the finished steps stay in sight, in milliseconds. */
const DELIVERED_MS = 1_100

/** Runs one purchase at a time and reports its progress; its outcome goes to a toast or to the banner. */
export function useRunPurchase(setRunning: Dispatch<SetStateAction<RunningPurchase | undefined>>): (listing: BoughtListing) => void {
  const client = useQueryClient()
  const { showBanner } = useNotices()
  const tellOutcome = useOutcome()
  const { mutate } = useMutation({
    mutationKey: PURCHASE,
    mutationFn: async (listing: BoughtListing): Promise<Purchase> => {
      const [{ network }, { runPurchase }] = await Promise.all([client.ensureQueryData(configQuery), import('./flow/run-purchase.ts')])
      return await runPurchase({
        listing,
        network,
        onProgress({ step, payMillisLeft }) {
          const change = {
            ...(step && { step }),
            ...(payMillisLeft !== undefined && { payUntil: Date.now() + payMillisLeft }),
          }
          setRunning((current) => current && { ...current, ...change })
        },
      })
    },
    onSuccess: async (purchase) => {
      tellOutcome(purchase)
      if (purchase.status === 'settled') await new Promise((resolve) => setTimeout(resolve, DELIVERED_MS))
    },
    onError: (error) => showBanner(error.message),
    onSettled: () => {
      setRunning(undefined)
      refreshMarket()
    },
  })
  return useCallback(
    (listing) => {
      if (client.isMutating({ mutationKey: PURCHASE })) return
      setRunning({ listing, step: 'approve', payUntil: undefined, inBackground: false })
      mutate(listing)
    },
    [client, mutate, setRunning],
  )
}
