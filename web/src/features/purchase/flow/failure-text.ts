import { messages } from '@juicebar/contract/messages'

import { ApiError, asSentence, errorSentence, isChainBusy, isUnexplained } from '../../../api/api-error.ts'
import { PaymentFailed } from '../../../payment/payment-failed.ts'
import { WalletError } from '../../../wallet/wallet-error.ts'

/** How far a purchase came before it failed. */
export interface Reached {
  /** The listing may be held although nobody said so. */
  mayBeHeld?: boolean | undefined
  /** The signed payment was sent. */
  sent?: boolean | undefined
}

/** What to tell the buyer of a failed purchase: what happened, whether SOL moved, and what to do. */
export function failureText(error: unknown, { mayBeHeld, sent }: Reached): string {
  const text = errorSentence(error, messages.purchaseFailed)
  if (error instanceof PaymentFailed) return text
  if (error instanceof WalletError) return `${text}. No SOL moved.`
  if (error instanceof ApiError && (error.code === 'PAUSED' || !isUnexplained(error))) return text
  if (sent)
    return `${asSentence(text)} Your payment was sent, so do not pay again: Needs attention and your history show what becomes of it.`
  if (isChainBusy(error)) return `${text} Nothing was held, and no SOL moved.`
  const certain = `${asSentence(text)} Your wallet was not asked, so no SOL moved.`
  return mayBeHeld ? `${certain} If the listing was held for you, Needs attention shows it.` : certain
}
