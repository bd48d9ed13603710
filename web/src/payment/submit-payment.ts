import { isUnexplained } from '../api/refusals.ts'
import { retryPassing } from '../api/retry-passing.ts'
import { PaymentFailed } from './sign-payment.ts'

interface Submission<Reply> {
  signed: Uint8Array
  /** Submits the signed bytes, in base64. The server treats the same bytes as the same payment, so this may be called again. */
  submit: (transaction: string) => Promise<Reply>
  /** How long to keep trying while the server neither accepts nor refuses the bytes, in milliseconds. */
  timeout: number
  /** What to tell the person if it never did. */
  ifUnanswered: string
}

/**
 * Submits signed transaction bytes to the server.
 *
 * @throws PaymentFailed if the server neither accepted nor refused them, so that it is unknown whether SOL moved
 * @throws ApiError if the server refuses the bytes
 */
export async function submitPayment<Reply>({ signed, submit, timeout, ifUnanswered }: Submission<Reply>): Promise<Reply> {
  const { base64 } = await import('@scure/base')
  const transaction = base64.encode(signed)
  try {
    return await retryPassing(() => submit(transaction), timeout)
  } catch (error) {
    if (!isUnexplained(error)) throw error
    throw new PaymentFailed(ifUnanswered, { nothingSigned: false, cause: error })
  }
}
