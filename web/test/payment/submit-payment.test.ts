import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { ApiError } from '../../src/api/api-error.ts'
import { submitPayment } from '../../src/payment/submit-payment.ts'

const unanswered = new ApiError('NETWORK', 'The server cannot be reached.')
const submission = { signed: new Uint8Array([1, 2, 3]), timeout: 5_000, ifUnanswered: 'Do not pay again.' }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('signed bytes', () => {
  test('are submitted in base64, the same ones again until the server answers', async () => {
    const submit = vi.fn<(bytes: string) => Promise<string>>().mockRejectedValueOnce(unanswered).mockResolvedValueOnce('signature')
    const result = submitPayment({ ...submission, submit })
    await pass(1_000, submit)
    await expect(result).resolves.toBe('signature')
    expect(submit.mock.calls).toEqual([['AQID'], ['AQID']])
  })

  test('that the server refuses are not submitted again', async () => {
    const refusal = new ApiError('PAYMENT_REFUSED', 'This payment was not sent, and no SOL moved.', { status: 422 })
    const submit = vi.fn<(bytes: string) => Promise<string>>().mockRejectedValue(refusal)
    await expect(submitPayment({ ...submission, submit })).rejects.toBe(refusal)
    expect(submit).toHaveBeenCalledOnce()
  })

  test('that nobody answers for may have moved SOL', async () => {
    const submit = vi.fn<(bytes: string) => Promise<string>>().mockRejectedValue(unanswered)
    const failure = submitPayment({ ...submission, submit }).catch((error: unknown) => error)
    await pass(7_000, submit)
    expect(await failure).toMatchObject({ message: 'Do not pay again.', nothingSigned: false, cause: unanswered })
  })
})

/** Lets time pass from the first submission on, which waits for the encoder to be loaded. */
async function pass(milliseconds: number, submit: (bytes: string) => Promise<string>): Promise<void> {
  await vi.waitFor(() => expect(submit).toHaveBeenCalled(), { timeout: 30_000 })
  await vi.advanceTimersByTimeAsync(milliseconds)
}
