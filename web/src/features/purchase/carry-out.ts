import { messages } from '@juicebar/contract/messages'
import { type QueryClient } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction } from 'react'

import { errorSentence } from '../../api/api-error.ts'
import { pause } from '../../api/pause.ts'
import { configQuery } from '../../api/queries.ts'
import { type NoticeActions } from '../../feedback/use-notices.ts'
import { dropOpenPurchase } from './drop-open-purchase.ts'
import { PurchaseStopped } from './order/purchase-stopped.ts'
import { runPurchase } from './flow/run-purchase.ts'
import { tellOutcome } from './flow/tell-outcome.ts'
import { type Order } from './order/order.ts'
import { Overtaken } from './order/overtaken.ts'
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
  /** Called if somebody else was faster with the only listing of the order. */
  onOvertaken: (order: Order) => void
}

/** Continues a purchase whose wallet took too long; undefined while none waits for the buyer. */
let goOn: (() => void) | undefined

/** Runs a purchase and reports its progress; its outcome goes to a toast, to the banner or to `onOvertaken`. Never rejects. */
export async function carryOut(order: Order, { client, signal, notices, setRunning, onOvertaken }: CarryOut): Promise<void> {
  try {
    const config = await client.ensureQueryData(configQuery)
    const reloadConfig = () => client.fetchQuery({ ...configQuery, staleTime: 0 })
    const onProgress = (progress: Progress) => setRunning((current) => current && advanced(current, progress))
    const opensByItself = !matchMedia('(pointer: coarse)').matches
    const purchase = await runPurchase({ order, config, reloadConfig, opensByItself, untilPressed, signal, onProgress })
    // The page of a checkout says by itself that it is delivered.
    if (order.checkout === undefined || purchase.status !== 'settled') tellOutcome(purchase, notices)
    await dropOpenPurchase(client, purchase.purchaseId)
    if (purchase.status === 'settled') await pause(DELIVERED_MS)
  } catch (error) {
    const text = errorSentence(error, messages.purchaseFailed)
    if (error instanceof Overtaken) onOvertaken(order)
    else if (error instanceof PurchaseStopped && error.byBuyer) notices.showToast(text)
    else notices.showBanner(text)
  }
}

/** Gives up a running purchase, as long as nothing is held for it. */
export function stopPurchase(cancellation: AbortController): void {
  cancellation.abort(new PurchaseStopped('You cancelled this purchase. Nothing was held, and no SOL moved.', { byBuyer: true }))
}

/** Asks the wallet of the running purchase once more, if it waits for that. */
export function approveAgain(): void {
  goOn?.()
}

async function untilPressed(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    goOn = resolve
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  }).finally(() => {
    goOn = undefined
  })
}

function advanced(running: RunningPurchase, { step, payMillisLeft, retryMillis, again, unanswered }: Progress): RunningPurchase {
  // The wallet asks now, so a buyer who kept browsing should see what it is for.
  const asks = { retryAt: undefined, unanswered: false, inBackground: false }
  if (step === 'approve') return { ...running, ...asks }
  if (step) return { ...running, step, again: undefined, unanswered: false }
  if (unanswered) return { ...running, unanswered }
  if (again) return { ...running, ...asks, again }
  if (retryMillis !== undefined) return { ...running, retryAt: Date.now() + retryMillis }
  return payMillisLeft === undefined ? running : { ...running, ...asks, again: undefined, payUntil: Date.now() + payMillisLeft }
}
