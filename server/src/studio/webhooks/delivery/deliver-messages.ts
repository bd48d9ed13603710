import { type Database } from '../../../database/connect.ts'
import { type FailureLog } from '../../../logging/failure-log.ts'
import { type BaseLogger } from 'pino'

import { type AfterFailure, afterFailure, isDelivered } from './attempt.ts'
import { type Attempt, endLease, type Lease, type Queue, type QueuedMessage, readQueue, recordAttempts } from './delivery-store.ts'
import { type Poster } from '../../../outgoing/post-message.ts'
import { signMessage } from './signature.ts'

/** Longer than a batch and one more request take. */
export const LEASE_SECONDS = 40
/** After this time, the sent messages are recorded. */
const RECORD_MILLIS = 500
const BATCH = 50
/** After this time, nothing more is sent under a lease: a request may take 15 s, and recording the attempt as long. */
const SAFE_MILLIS = 10_000

export interface DeliveryDeps {
  database: Database
  poster: Poster
  log: Pick<BaseLogger, 'warn'>
  failures: FailureLog
  /** Is notified of each message that was sent, and whether it was delivered. */
  onAttempt?: ((delivered: boolean) => void) | undefined
  /** How long to wait after each failed attempt, in seconds; `RETRY_SECONDS` without it. */
  retrySeconds?: readonly number[]
}

interface Stopping {
  /** Stops sending. */
  signal: AbortSignal
  /** Also aborts the request under way. */
  breakOff: AbortSignal
}

/**
 * Sends a leased webhook its messages, one after the other, until all are delivered, one fails, or the lease is lost. Messages that were
 * sent but could not be recorded are sent again, with the same `webhook-id`.
 */
export async function deliverMessages(deps: DeliveryDeps, lease: Lease, stopping: Stopping): Promise<void> {
  const { database } = deps
  while (!stopping.signal.aborted) {
    const leasedAt = performance.now()
    const queue = await readQueue(database, lease, LEASE_SECONDS, BATCH)
    if (!queue) return
    if (queue.messages.length === 0) break
    const attempts = await sendMessages(deps, queue, { leasedAt, ...stopping })
    const failure = failureOf(attempts, deps.retrySeconds)
    if (attempts.length > 0) await recordAttempts(database, lease, { replays: queue.replays, attempts, failure })
    if (!failure) continue
    logFailure(deps, lease, attempts.at(-1), failure)
    return
  }
  await endLease(database, lease)
}

/** Sends messages until one fails, or it is time to record them. */
async function sendMessages(
  { poster, onAttempt }: Pick<DeliveryDeps, 'poster' | 'onAttempt'>,
  queue: Queue,
  { leasedAt, signal, breakOff }: Stopping & { leasedAt: number },
): Promise<Attempt[]> {
  const attempts: Attempt[] = []
  for (const message of queue.messages) {
    const elapsed = performance.now() - leasedAt
    if (signal.aborted || elapsed > SAFE_MILLIS || (elapsed > RECORD_MILLIS && attempts.length > 0)) break
    const sentAt = new Date()
    const outcome = await poster.post({ url: queue.url, ...signed(message, queue.secrets, sentAt) }, breakOff)
    if (!outcome) break
    onAttempt?.(isDelivered(outcome))
    attempts.push({ message, number: attempts.length === 0 ? queue.failedAttempts + 1 : 1, sentAt, outcome })
    if (!isDelivered(outcome)) break
  }
  return attempts
}

function signed({ id, body }: QueuedMessage, secrets: readonly string[], sentAt: Date) {
  const timestamp = Math.floor(sentAt.getTime() / 1_000)
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Juicebar-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage(secrets, { id, timestamp, body }),
  }
  return { headers, body }
}

function failureOf(attempts: readonly Attempt[], retrySeconds?: readonly number[]): AfterFailure | undefined {
  const last = attempts.at(-1)
  return last && !isDelivered(last.outcome) ? afterFailure(last.outcome, last.number, retrySeconds) : undefined
}

/** The URL may contain a secret, so the log names the webhook only. */
function logFailure({ log }: Pick<DeliveryDeps, 'log'>, { webhookId }: Lease, attempt: Attempt | undefined, failure: AfterFailure): void {
  const { message, number, outcome } = attempt ?? {}
  const fields = { webhookId, messageId: message?.id, attempt: number, status: outcome?.status, reason: outcome?.error }
  if ('switchOff' in failure) log.warn({ ...fields, switchedOff: failure.switchOff }, 'a webhook is switched off')
  else if (number === 1) log.warn({ ...fields, retrySeconds: failure.retrySeconds }, 'a webhook does not take a message; trying again')
}
