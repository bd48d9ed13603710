import { messages } from '@juicebar/contract/messages'
import { type QueryClient } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction } from 'react'

import { errorSentence } from '../../api/api-error.ts'
import { pause } from '../../api/pause.ts'
import { configQuery } from '../../api/queries.ts'
import { type NoticeActions } from '../../feedback/use-notices.ts'
import { dropOpenPurchase } from './drop-open-purchase.ts'
import { PurchaseStopped } from './flow/purchase-stopped.ts'
import { runPurchase } from './flow/run-purchase.ts'
import { tellOutcome } from './flow/tell-outcome.ts'
import { type Order } from './order/order.ts'
import { type Progress } from './order/progress.ts'
import { type RunningPurchase } from './use-purchase.ts'

/** How long the finished steps stay visible, in milliseconds. */
const DELIVERED_MS = 1_100

interface CarryOut {
  client: QueryClient
  /** Aborted by `stopPurchase` when the buyer cancels. */
  signal: AbortSignal
  notices: NoticeActions
  setRunning: Dispatch<SetStateAction<RunningPurchase | undefined>>
}

/** Runs a purchase and reports its progress; its outcome goes to a toast or to the banner. Never rejects. */
export async function carryOut(order: Order, { client, signal, notices, setRunning }: CarryOut): Promise<void> {
  try {
    const { network } = await client.ensureQueryData(configQuery)
    const onProgress = (progress: Progress) => setRunning((current) => current && advanced(current, progress))
    const purchase = await runPurchase({ order, network, signal, onProgress })
    tellOutcome(purchase, notices)
    await dropOpenPurchase(client, purchase.purchaseId)
    if (purchase.status === 'settled') await pause(DELIVERED_MS)
  } catch (error) {
    const text = errorSentence(error, messages.purchaseFailed)
    if (error instanceof PurchaseStopped && error.byBuyer) notices.showToast(text)
    else notices.showBanner(text)
  }
}

/** Gives up a running purchase, as long as nothing is held for it. */
export function stopPurchase(cancellation: AbortController): void {
  cancellation.abort(new PurchaseStopped('You cancelled this purchase. Nothing was held, and no SOL moved.', { byBuyer: true }))
}

function advanced(running: RunningPurchase, { step, payMillisLeft, retryMillis }: Progress): RunningPurchase {
  if (step) return { ...running, step }
  if (retryMillis !== undefined) return { ...running, retryAt: Date.now() + retryMillis }
  if (payMillisLeft === undefined) return running
  // The wallet asks now, so a buyer who kept browsing should see what it is for.
  return { ...running, payUntil: Date.now() + payMillisLeft, retryAt: undefined, inBackground: false }
}
