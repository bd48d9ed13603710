import { type Purchase } from '@juicebar/contract/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useCallback, useRef } from 'react'

import { pause } from '../../api/pause.ts'
import { configQuery } from '../../api/queries.ts'
import { refreshMarket } from '../../api/refresh-market.ts'
import { useNotices } from '../../feedback/use-notices.ts'
import { dropOpenPurchase } from './drop-open-purchase.ts'
import { PurchaseStopped } from './flow/purchase-stopped.ts'
import { type BoughtListing, type Progress } from './purchase.ts'
import { useOutcome } from './use-outcome.ts'
import { type RunningPurchase } from './use-purchase.ts'

const PURCHASE = ['purchase']
/** How long the finished steps stay in sight, in milliseconds. */
const DELIVERED_MS = 1_100

interface RunPurchase {
  run: (listing: BoughtListing) => void
  /** Gives up the running purchase, as long as nothing is held for it. */
  cancel: () => void
}

/** Runs one purchase at a time and reports its progress; its outcome goes to a toast or to the banner. */
export function useRunPurchase(setRunning: Dispatch<SetStateAction<RunningPurchase | undefined>>): RunPurchase {
  const client = useQueryClient()
  const { showBanner, showToast } = useNotices()
  const tellOutcome = useOutcome()
  const cancellation = useRef(new AbortController())
  const { mutate } = useMutation({
    mutationKey: PURCHASE,
    mutationFn: async (listing: BoughtListing): Promise<Purchase> => {
      const { signal } = cancellation.current
      const [{ network }, { runPurchase }] = await Promise.all([client.ensureQueryData(configQuery), import('./flow/run-purchase.ts')])
      const onProgress = (progress: Progress) => setRunning((current) => current && advanced(current, progress))
      return await runPurchase({ listing, network, signal, onProgress })
    },
    onSuccess: async (purchase) => {
      tellOutcome(purchase)
      await dropOpenPurchase(client, purchase.purchaseId)
      if (purchase.status === 'settled') await pause(DELIVERED_MS)
    },
    onError: (error) => {
      if (error instanceof PurchaseStopped && error.byBuyer) showToast(error.message)
      else showBanner(error.message)
    },
    onSettled: () => {
      setRunning(undefined)
      refreshMarket()
    },
  })
  const run = useCallback(
    (listing: BoughtListing) => {
      if (client.isMutating({ mutationKey: PURCHASE })) {
        showToast('Your other purchase is still under way. Wait for it or cancel it, then try again.', 'bad')
        return
      }
      cancellation.current = new AbortController()
      setRunning({ listing, step: 'approve', payUntil: undefined, retryAt: undefined, inBackground: false })
      mutate(listing)
    },
    [client, mutate, setRunning, showToast],
  )
  const cancel = useCallback(
    () =>
      cancellation.current.abort(
        new PurchaseStopped('You cancelled this purchase. Nothing was held, and no SOL moved.', { byBuyer: true }),
      ),
    [],
  )
  return { run, cancel }
}

function advanced(running: RunningPurchase, { step, payMillisLeft, retryMillis }: Progress): RunningPurchase {
  if (step) return { ...running, step }
  if (retryMillis !== undefined) return { ...running, retryAt: Date.now() + retryMillis }
  if (payMillisLeft === undefined) return running
  // The wallet asks now, so the buyer who went on browsing meanwhile should see what for.
  return { ...running, payUntil: Date.now() + payMillisLeft, retryAt: undefined, inBackground: false }
}
