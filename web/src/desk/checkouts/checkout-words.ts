import { type ErrorCode } from '@juicebar/contract/errors'
import { type Checkout, type CheckoutAttempt, type CheckoutStatus, type EndReason } from '@juicebar/contract/schemas'

import { endWords } from '../find/purchase-words.ts'

type Tone = 'good' | 'warn' | 'plain'

/** The state of a checkout, in a few words. */
export const checkoutStates: Record<CheckoutStatus, { word: string; tone: Tone }> = {
  open: { word: 'Open', tone: 'plain' },
  paying: { word: 'Being paid', tone: 'warn' },
  completed: { word: 'Completed', tone: 'good' },
  expired: { word: 'Expired', tone: 'plain' },
}

interface Tries {
  openedAt: string | null
  /** Newest first. */
  attempts: readonly CheckoutAttempt[]
}

/** In one sentence, why a checkout is not completed; undefined if it is. */
export function whyNotCompleted({ status }: Pick<Checkout, 'status'>, { openedAt, attempts }: Tries): string | undefined {
  if (status === 'completed') return undefined
  if (status === 'paying') return 'A payment is under way. It completes the checkout as soon as it is delivered.'
  const [last] = attempts
  if (last) return `The last attempt to pay ended like this: ${attemptWords(last)}`
  if (openedAt !== null) return 'The player has opened the page, and did not try to pay.'
  return status === 'open' ? 'The player has not opened the page yet.' : 'The player never opened the page.'
}

/** How an attempt to pay ended, in a sentence. */
export function attemptWords({ outcome, reason }: Pick<CheckoutAttempt, 'outcome' | 'reason'>): string {
  switch (outcome) {
    case 'paying':
      return 'A payment is under way.'
    case 'delivered':
      return 'It was paid and delivered.'
    case 'unpaid':
      return `It was not paid: ${reason === null ? 'ended' : endWords[reason as EndReason].toLowerCase()}.`
    case 'refused':
      return `The payment was refused, and no SOL moved: ${(reason !== null && refusals[reason]) || reason}.`
  }
}

/** Why payments for checkouts are refused most often. A code that is not here is shown as it is. */
const refusals: { [Code in string]?: string } = {
  LISTING_HELD: 'somebody else was faster',
  LISTING_NOT_ACTIVE: 'somebody else was faster',
  AMOUNT_NOT_LEFT: 'somebody else was faster',
  PRICE_MOVED: 'the price had changed',
  INSUFFICIENT_SOL: 'the wallet has too little SOL',
  BALANCE_LIMIT: 'the wallet cannot hold more of this',
  PAYMENT_EXPIRED: 'the wallet took longer than Solana allows',
  PAYMENT_REFUSED: 'it was not the payment that was offered, or the network would not carry it out',
  COOLDOWN: 'too many payments of this wallet had failed',
  TOO_MANY_HOLDS: 'the wallet was buying too much at once',
  PAUSED: 'the market was paused',
  BLOCKED: 'the wallet is blocked',
  CHECKOUT_PAYING: 'it was being paid already',
  CHECKOUT_PAID: 'it was paid already',
  CHECKOUT_EXPIRED: 'its time was over',
  CHECKOUT_OTHER_WALLET: 'it is for another wallet',
  CHECKOUT_DIFFERS: 'it was for another item or amount, or cost more than allowed',
} satisfies { [Code in ErrorCode]?: string }
