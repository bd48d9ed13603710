import { messages } from '@juicebar/contract/messages'
import { type Purchase, type PublicConfig } from '@juicebar/contract/schemas'

import { errorSentence } from '../../../api/api-error.ts'
import { queryClient } from '../../../api/query-client.ts'
import { keys } from '../../../api/queries.ts'
import { refreshMarket } from '../../../api/refresh-market.ts'
import { shortSignature } from '../../../ui/format.ts'
import { showBanner, showToast } from '../../../feedback/notices.ts'
import { keepingFocus } from '../../../feedback/use-processing.ts'
import { PaymentFailed } from '../../../payment/sign-payment.ts'
import { WalletError } from '../../../wallet/wallet-error.ts'
import { requireConnection } from '../../../wallet/wallet-store.ts'
import { followPurchase } from './follow-purchase.ts'
import { holdListing, letGo, payHold } from './pay-hold.ts'
import { endedText, isAsConfirmed, type Lot, stepOf } from '../purchase.ts'
import { running, updateRunning } from '../purchase-store.ts'

/** How long the finished steps stay in sight, in milliseconds. */
const DELIVERED_MS = 1_100

/** Carries a purchase through: hold, payment, confirmation, delivery. Whatever happens is told to the buyer; never throws. */
export async function runPurchase(lot: Lot, network: PublicConfig['network']): Promise<void> {
  if (!running.get()) await keepingFocus(() => carryThrough(lot, network))
}

async function carryThrough(lot: Lot, network: PublicConfig['network']): Promise<void> {
  running.set({ lot, step: 'approve', payUntil: undefined, inBackground: false })
  let purchaseId: string | undefined
  try {
    const connection = requireConnection()
    const details = await holdListing(lot._id, connection)
    purchaseId = details.purchaseId
    if (!isAsConfirmed(lot, details))
      throw new Error('The lot is not what you confirmed any more. Your wallet was not asked; no SOL moved.')
    updateRunning({ payUntil: Date.now() + details.payMillisLeft })
    const signature = await payHold(details, connection, network)
    updateRunning({ step: 'sent' })
    const onChange = (purchase: Purchase) => updateRunning({ step: stepOf(purchase) })
    tellOutcome(await followPurchase({ purchaseId, listingId: lot._id, signature, onChange }), signature)
    if (running.get()?.step === 'delivered') await new Promise((resolve) => setTimeout(resolve, DELIVERED_MS))
  } catch (error) {
    showBanner(await failureText(error, purchaseId))
  } finally {
    running.set(undefined)
    refreshMarket().catch(() => undefined)
  }
}

const resumed = new Set<string>()

/** Follows a payment that was made before a reload or in another tab, and tells once what became of it. Never throws. */
export async function resumePurchase({ purchaseId, listingId, signature }: Purchase): Promise<void> {
  if (!signature || resumed.has(purchaseId)) return
  resumed.add(purchaseId)
  const onChange = () => void queryClient.invalidateQueries({ queryKey: keys.openPurchases })
  try {
    tellOutcome(await followPurchase({ purchaseId, listingId, signature, onChange }), signature)
  } catch (error) {
    showBanner(errorSentence(error, messages.purchaseFailed))
  } finally {
    refreshMarket().catch(() => undefined)
  }
}

/** Gives a held lot back at the buyer's wish. Never throws. */
export async function giveUp(purchaseId: string): Promise<void> {
  try {
    showToast(endedText(await letGo(purchaseId)))
  } catch (error) {
    showBanner(errorSentence(error, messages.purchaseFailed))
  } finally {
    refreshMarket().catch(() => undefined)
  }
}

function tellOutcome(purchase: Purchase, signature: string): void {
  if (purchase.status === 'settled') showToast(messages.purchaseSucceeded(shortSignature(purchase.signature ?? signature)), 'good')
  else showBanner(endedText(purchase))
}

async function failureText(error: unknown, purchaseId: string | undefined): Promise<string> {
  const text = errorSentence(error, messages.purchaseFailed)
  if (!(error instanceof PaymentFailed) || !error.nothingSigned || !purchaseId) return text
  const declined = error.cause instanceof WalletError && error.cause.kind === 'rejected'
  if (!declined) return `${text} The lot is kept for you until its time is over: pay for it, or let it go.`
  const freed = await letGo(purchaseId).then(
    () => true,
    () => false,
  )
  return freed ? `${text} The lot is free again.` : `${text} The lot becomes free by itself when its time is over.`
}
