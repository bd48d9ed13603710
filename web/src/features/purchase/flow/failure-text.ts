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
  /** It is for a checkout, whose page has nothing but that purchase. */
  forCheckout?: boolean | undefined
}

/** What to tell the buyer of a failed purchase: what happened, whether SOL moved, and what to do. */
export function failureText(error: unknown, { mayBeHeld, sent, forCheckout = false }: Reached): string {
  const text = errorSentence(error, messages.purchaseFailed)
  if (error instanceof PaymentFailed) return text
  if (error instanceof WalletError) return `${text}. No SOL moved.`
  if (error instanceof ApiError && (error.code === 'PAUSED' || !isUnexplained(error))) return text
  if (sent) {
    const shows = forCheckout ? 'this page shows' : 'Needs attention and your history show'
    return `${asSentence(text)} Your payment was sent, so do not pay again: ${shows} what becomes of it.`
  }
  if (isChainBusy(error)) return `${text} Nothing was held, and no SOL moved.`
  const certain = `${asSentence(text)} Your wallet was not asked, so no SOL moved.`
  if (!mayBeHeld) return certain
  return forCheckout
    ? `${certain} If the items were reserved for you all the same, you can pay for them here, or cancel.`
    : `${certain} If the listing was held for you, Needs attention shows it.`
}
