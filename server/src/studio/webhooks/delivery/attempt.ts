import { type Outcome } from '../../../outgoing/post-message.ts'

const SECOND = 1
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long to wait after the first failed attempt, the second and so on, in seconds. After one more, the webhook is switched off. */
export const RETRY_SECONDS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** The receiver wants no more messages. */
const GONE = 410

/** Whether the receiver accepted the message. */
export function isDelivered({ status }: Pick<Outcome, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

/** The consequence of a failed attempt. */
export type AfterFailure = { retrySeconds: number } | { switchOff: 'gone' | 'failed' }

/** @param failedAttempts at this message, including this one */
export function afterFailure({ status }: Pick<Outcome, 'status'>, failedAttempts: number, waits = RETRY_SECONDS): AfterFailure {
  if (status === GONE) return { switchOff: 'gone' }
  const retrySeconds = waits[failedAttempts - 1]
  return retrySeconds === undefined ? { switchOff: 'failed' } : { retrySeconds }
}
