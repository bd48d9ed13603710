import { isUnanswered } from '../api/api-error.ts'
import { retryUnanswered } from '../api/retry-unanswered.ts'
import { PaymentFailed } from './payment-failed.ts'

interface Submission<Reply> {
  signed: Uint8Array
  /** Submits the signed bytes, in base64. The server treats the same bytes as the same payment, so this may be called again. */
  submit: (transaction: string) => Promise<Reply>
  /** How long to keep trying while no answer comes, in milliseconds. */
  timeout: number
  /** What to tell the person if no answer came. */
  ifUnanswered: string
}

/**
 * Submits signed transaction bytes to the server.
 *
 * @throws PaymentFailed if no answer came, so that nobody knows whether SOL moved
 * @throws ApiError if the server refuses the bytes
 */
export async function submitPayment<Reply>({ signed, submit, timeout, ifUnanswered }: Submission<Reply>): Promise<Reply> {
  const { base64 } = await import('@scure/base')
  const transaction = base64.encode(signed)
  try {
    return await retryUnanswered(() => submit(transaction), timeout)
  } catch (error) {
    if (!isUnanswered(error)) throw error
    throw new PaymentFailed(ifUnanswered, { nothingSigned: false, cause: error })
  }
}
