import { messages } from '@juicebar/contract/messages'

import { ApiError, asSentence, errorSentence, isChainBusy, isUnexplained } from '../../../api/api-error.ts'
import { PaymentFailed } from '../../../payment/payment-failed.ts'
import { WalletError } from '../../../wallet/wallet-error.ts'
import { cancelHold } from './cancel-hold.ts'

/** How far a purchase came before it failed. */
export interface Reached {
  /** Undefined until the listing is held. */
  purchaseId?: string | undefined
  /** The signed payment was sent. */
  sent?: boolean | undefined
}

const kept = 'What you are buying is kept for you until the time to pay runs out: pay for it, or cancel the purchase.'

/** What to tell the buyer of a failed purchase: what happened, whether SOL moved, and what to do. A hold that the buyer declined is cancelled. */
export async function failureText(error: unknown, { purchaseId, sent }: Reached): Promise<string> {
  const text = errorSentence(error, messages.purchaseFailed)
  if (error instanceof PaymentFailed) return error.nothingSigned && purchaseId ? `${text} ${await afterRefusal(error, purchaseId)}` : text
  if (error instanceof WalletError) return `${text}. No SOL moved.`
  if (error instanceof ApiError && (error.code === 'PAUSED' || !isUnexplained(error))) return text
  if (isChainBusy(error) && !purchaseId) return `${text} Nothing was held, and no SOL moved.`
  return `${asSentence(text)} ${whatIsCertain({ purchaseId, sent })}`
}

/** For a failure that does not say so: whether SOL moved, and what to do. */
function whatIsCertain({ purchaseId, sent }: Reached): string {
  if (sent) return 'Your payment was sent, so do not pay again: Needs attention and your history show what becomes of it.'
  if (purchaseId) return `Your wallet was not asked, so no SOL moved. ${kept}`
  return 'Your wallet was not asked, so no SOL moved. If the lot was held for you, Needs attention shows it.'
}

async function afterRefusal({ cause }: PaymentFailed, purchaseId: string): Promise<string> {
  if (!(cause instanceof WalletError) || cause.kind !== 'rejected') return kept
  // A buyer who declined no longer wants the listing.
  const cancelled = await cancelHold(purchaseId).then(
    () => true,
    () => false,
  )
  return cancelled ? 'The lot is free again.' : 'The lot is freed when the time to pay runs out.'
}
