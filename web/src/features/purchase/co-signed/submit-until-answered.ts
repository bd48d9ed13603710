import { type Reply } from '@juicebar/contract/calls'

import { ApiError, isPassing, isUnexplained } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { pause } from '../../../api/pause.ts'
import { PaymentFailed } from '../../../payment/payment-failed.ts'
import { useSession } from '../../../session/session-store.ts'
import { bodyOf, forgetPayment, keepPayment, type SignedPayment } from './kept-payment.ts'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000

/**
 * Submits a signed payment, the same bytes again until the server accepts or refuses them for good. Meanwhile it is kept over a reload.
 *
 * @param onUnanswered called after each attempt that decided nothing
 * @returns the purchase, and the transaction's signature
 * @throws ApiError: this payment will never be sent; PaymentFailed if its wallet is no longer signed in, so that nobody can ask
 */
export async function submitUntilAnswered(payment: SignedPayment, onUnanswered: () => void): Promise<Reply<'pay'>> {
  keepPayment(payment)
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const reply = await call('pay', { body: bodyOf(payment) })
      forgetPayment()
      return reply
    } catch (error) {
      requireSignedIn(payment, error)
      if (isFinal(error)) {
        forgetPayment()
        throw error
      }
      onUnanswered()
      await pause(Math.max(wait, retryAfterMillis(error)))
      requireSignedIn(payment, error)
    }
  }
}

function requireSignedIn({ walletAddress }: SignedPayment, cause: unknown): void {
  if (useSession.getState().user?.walletAddress === walletAddress) return
  forgetPayment()
  throw new PaymentFailed(
    'You were signed out before the server said what became of your payment, so it is not known yet whether SOL moved. Do not pay again: sign in with the same wallet, and your history shows it.',
    { nothingSigned: false, cause },
  )
}

/** False as long as the server may still decide, or may have decided otherwise. A pause is a decision, too. */
function isFinal(error: unknown): boolean {
  return !(isPassing(error) || isUnexplained(error)) || (error instanceof ApiError && error.code === 'PAUSED')
}

function retryAfterMillis(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfter ?? 0) * 1_000 : 0
}
