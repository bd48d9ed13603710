import { messages } from '@juicebar/contract/messages'
import { type PublicConfig, type Purchase } from '@juicebar/contract/schemas'
import { type QueryClient } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction } from 'react'

import { ApiError, errorSentence } from '../../api/api-error.ts'
import { pause } from '../../api/retry-passing.ts'
import { configQuery } from '../../api/queries.ts'
import { showBanner, showToast } from '../../feedback/notices.ts'
import { failsOnTwoSigners, rememberLoneSigner } from '../../payment/sign-payment.ts'
import { requireConnection } from '../../wallet/signatures.ts'
import { type Connection } from '../../wallet/wallet-store.ts'
import { type CoSignedPayment, payCoSigned } from './co-signed/pay-co-signed.ts'
import { failureText, type Reached, refusedText } from './flow/failure-text.ts'
import { dropOpenPurchase, followPurchase, tellOutcome } from './flow/follow-purchase.ts'
import { payByHold } from './hold/pay-by-hold.ts'
import { takeOut } from './order/change-basket.ts'
import { isOvertaken, Overtaken } from './order/offer.ts'
import { type Order, type PaidPurchase, type Progress } from './order/order.ts'
import { PurchaseStopped } from './order/wait-while-busy.ts'
import { type RunningPurchase } from './use-purchase.ts'
import { cannotBuyHere, wayToPay } from './way-to-pay.ts'

/** How long the finished steps stay visible, in milliseconds. */
const DELIVERED_MS = 1_100

interface CarryOut {
  client: QueryClient
  /** Aborted by `stopPurchase` when the buyer cancels. */
  signal: AbortSignal
  setRunning: Dispatch<SetStateAction<RunningPurchase | undefined>>
  /** Called if somebody else was faster with the only listing of the order. The page of a checkout has nothing else to offer. */
  onOvertaken: (order: Order) => void
}

/** Continues a purchase whose wallet took too long; undefined while none waits for the buyer. */
let goOn: (() => void) | undefined

/** Runs a purchase and reports its progress; its outcome goes to a toast, to the banner or to `onOvertaken`. Never rejects. */
export async function carryOut(order: Order, { client, signal, setRunning, onOvertaken }: CarryOut): Promise<void> {
  try {
    const config = await client.ensureQueryData(configQuery)
    const reloadConfig = () => client.fetchQuery({ ...configQuery, staleTime: 0 })
    const onProgress = (progress: Progress) => setRunning((current) => current && advanced(current, progress))
    const opensByItself = !matchMedia('(pointer: coarse)').matches
    const purchase = await runPurchase({ order, config, reloadConfig, opensByItself, untilPressed, signal, onProgress })
    // The page of a checkout says by itself that it is delivered.
    if (order.checkout === undefined || purchase.status !== 'settled') tellOutcome(purchase)
    await dropOpenPurchase(client, purchase.purchaseId)
    if (purchase.status === 'settled') await pause(DELIVERED_MS)
  } catch (error) {
    const text = errorSentence(error, messages.purchaseFailed)
    if (error instanceof Overtaken && order.checkout === undefined) onOvertaken(order)
    else if (error instanceof PurchaseStopped && error.byBuyer) showToast(text)
    else showBanner(text)
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

function advanced(running: RunningPurchase, { step, order, payMillisLeft, retryMillis, again, unanswered }: Progress): RunningPurchase {
  // The wallet asks now, so a buyer who kept browsing should see what it is for.
  const asks = { retryAt: undefined, unanswered: false, inBackground: false }
  if (step === 'approve') return { ...running, ...asks, step, order: order ?? running.order }
  if (step) return { ...running, step, again: undefined, unanswered: false }
  if (unanswered) return { ...running, unanswered }
  if (again) return { ...running, ...asks, step: 'approve', again }
  if (retryMillis !== undefined) return { ...running, retryAt: Date.now() + retryMillis }
  if (payMillisLeft === undefined) return running
  return { ...running, ...asks, step: 'approve', order: order ?? running.order, again: undefined, payUntil: Date.now() + payMillisLeft }
}

interface Run extends Omit<CoSignedPayment, 'connection' | 'network'> {
  config: PublicConfig
  /** Reads the market's settings again. */
  reloadConfig: () => Promise<PublicConfig>
}

/**
 * Runs a purchase: payment, confirmation, delivery.
 *
 * @returns the purchase, settled or ended
 * @throws Error with a sentence for the buyer: what happened, whether SOL moved, and what to do; PurchaseStopped if the wallet was not asked;
 * Overtaken if somebody else has the only listing of the order
 */
export async function runPurchase(run: Run): Promise<Purchase> {
  const { order, onProgress } = run
  const reached: Reached = { forCheckout: order.checkout !== undefined }
  try {
    const paid = await pay(run, requireConnection(), reached)
    reached.sent = true
    onProgress({ step: 'sent' })
    takeOut(order.items)
    // What a wallet has sent by itself is on its way before the market knows of it.
    return await followPurchase({ ...paid, onChange: ({ stage }) => void (stage !== 'none' && onProgress({ step: stage })) })
  } catch (error) {
    if (error instanceof PurchaseStopped) throw error
    const refused = reached.sent ? undefined : refusedText(error, order)
    if (isOvertaken(error) && !reached.sent && refused === undefined) throw new Overtaken(error)
    throw new Error(refused ?? failureText(error, reached), { cause: error })
  }
}

async function pay(run: Run, connection: Connection, reached: Reached): Promise<PaidPurchase> {
  const payment = { ...run, connection, network: run.config.network }
  const holdAndPay = () => {
    reached.mayBeHeld = true
    return payByHold(payment)
  }
  const way = run.order.origin === 'held' ? 'hold' : wayToPay(connection.wallet, run.config)
  if (way === 'none') throw new PurchaseStopped(cannotBuyHere, { byBuyer: false })
  if (way === 'hold') return await holdAndPay()
  try {
    return await payCoSigned(payment)
  } catch (error) {
    if (!(await mayHoldInstead(error, run))) throw error
    const paid = await holdAndPay()
    if (failsOnTwoSigners(error)) rememberLoneSigner(connection.wallet.name)
    return paid
  }
}

/** True if the market's signature is what a purchase failed on, and the wallet may pay without it. Nothing was submitted then. */
async function mayHoldInstead(error: unknown, { config, reloadConfig }: Run): Promise<boolean> {
  if (failsOnTwoSigners(error)) return config.walletSends !== 'off'
  return error instanceof ApiError && error.code === 'CO_SIGN_OFF' && (await reloadConfig()).walletSends !== 'off'
}
