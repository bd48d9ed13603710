import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { type Case } from '@juicebar/contract/schemas'
import { type BaseLogger } from 'pino'
import { MAX_WEBHOOKS } from '@juicebar/contract/limits'
import { inTransaction, type Tx } from '../../database/transact.ts'
import { findCasesInState } from '../../purchases/cases/case-store.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import { findCheckouts } from '../../checkouts/checkout-store.ts'
import { findSalesOf } from '../sales/sale-store.ts'
import { messagesOf, type NotedEvent, type AfterFailure, afterFailure, isDelivered, signMessage } from './webhook.ts'
import {
  claimOrder,
  hasNotedEvents,
  insertMessages,
  takeNotedEvents,
  type Attempt,
  endLease,
  type Lease,
  type Queue,
  type QueuedMessage,
  readQueue,
  recordAttempts,
  purgeMessages,
  purgeDeliveries,
  purgeSecrets,
  leaseWebhooks,
} from './delivery-store.ts'
import { type Database } from '../../database/connect.ts'
import { type FailureLog } from '../../runtime/outage.ts'
import { type Poster } from '../../outgoing/post-message.ts'
import { startRepeating } from '../../runtime/repeat.ts'

export interface CollectDeps extends Pick<PurchaseDeps, 'database' | 'catalogue'> {
  /** Of the market. */
  publicOrigin: string
}

/** Events of one short transaction. */
const COLLECT_BATCH = 500

/**
 * Turns events recorded for webhooks into messages, and gives them their order. One server does this at a time.
 * @returns how many events it took
 */
export async function collectMessages({ database, catalogue, publicOrigin }: CollectDeps, batch = COLLECT_BATCH): Promise<number> {
  if (!(await hasNotedEvents(database))) return 0
  return inTransaction(database, async (tx) => {
    if (!(await claimOrder(tx))) return 0
    const events = await takeNotedEvents(tx, batch)
    const purchaseIds = events.flatMap((event) => ('purchaseId' in event ? [event.purchaseId] : []))
    const checkoutIds = events.flatMap((event) => ('checkoutId' in event ? [event.checkoutId] : []))
    const checkouts = new Map((await findCheckouts(tx, checkoutIds)).map((checkout) => [checkout.id, checkout]))
    const sales = await findSalesOf(tx, purchaseIds)
    const subjects = { sales, checkouts, publicOrigin, cases: await casesOf(tx, catalogue, events) }
    const messages = events.flatMap((event) => messagesOf(event, subjects))
    if (messages.length > 0) await insertMessages(tx, messages)
    return events.length
  })
}

/** The cases that events are about, as they were. */
async function casesOf(tx: Tx, catalogue: CollectDeps['catalogue'], events: readonly NotedEvent[]): Promise<Map<NotedEvent, Case>> {
  const about = events.flatMap((event) => ('state' in event ? [{ event, state: event.state }] : []))
  const states = about.map(({ state }) => state)
  const cases = await findCasesInState(tx, catalogue, states)
  return new Map(
    about.flatMap(({ event }, index) => {
      const told = cases[index]
      return told ? [[event, told]] : []
    }),
  )
}

/** Longer than a batch and one more request take. */
const LEASE_SECONDS = 40
/** After this time, the sent messages are recorded. */
const RECORD_MILLIS = 500
const DELIVERY_BATCH = 50
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
async function deliverMessages(deps: DeliveryDeps, lease: Lease, stopping: Stopping): Promise<void> {
  const { database } = deps
  while (!stopping.signal.aborted) {
    const leasedAt = performance.now()
    const queue = await readQueue(database, lease, LEASE_SECONDS, DELIVERY_BATCH)
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

/** A batch takes about as long as a player's call. */
const PURGE_BATCH = 10_000

/** Deletes messages, records of deliveries and secrets that are too old, in short statements, until there are no more. */
async function purgeWebhooks(database: Database, signal: AbortSignal): Promise<void> {
  await purgeSecrets(database)
  while (!signal.aborted && (await purgeMessages(database, PURGE_BATCH)) === PURGE_BATCH);
  while (!signal.aborted && (await purgeDeliveries(database, PURGE_BATCH)) === PURGE_BATCH);
}

const POLL_MILLIS = 200
const PURGE_MILLIS = 60_000
/** How long a request under way may still take when the server stops. */
const GRACE_MILLIS = 2_000

export type WebhookDeps = DeliveryDeps & CollectDeps

/**
 * Delivers messages to webhooks on this server: each server takes webhooks that no other server is working on. Each webhook has at most one
 * request under way, so none waits for another.
 * @returns a function that stops it; another server then continues
 */
export function startWebhooks(deps: WebhookDeps): () => Promise<void> {
  const { database, failures, poster } = deps
  const stopping = new AbortController()
  const breakingOff = new AbortController()
  setMaxListeners(0, stopping.signal, breakingOff.signal)
  const signals = { signal: stopping.signal, breakOff: breakingOff.signal }
  const running = new Set<Promise<void>>()

  const deliver = (webhookId: string, leaseId: string) => {
    const work = deliverMessages(deps, { webhookId, leaseId }, signals)
      .catch((error: unknown) => failures.failed(error, { webhookId }, 'a webhook could not be served; trying again'))
      .finally(() => running.delete(work))
    running.add(work)
  }
  const poll = async () => {
    if (running.size >= MAX_WEBHOOKS) return
    const leaseId = randomUUID()
    for (const id of await leaseWebhooks(database, leaseId, LEASE_SECONDS, MAX_WEBHOOKS - running.size)) deliver(id, leaseId)
  }
  const collect = async (signal: AbortSignal) => {
    while (!signal.aborted && (await collectMessages(deps)) > 0);
  }

  const stops = [
    startRepeating(collect, { everyMillis: POLL_MILLIS, failures, failure: 'what happened cannot be told to webhooks; trying again' }),
    startRepeating(poll, { everyMillis: POLL_MILLIS, failures, failure: 'webhooks cannot be read; trying again' }),
    startRepeating((signal) => purgeWebhooks(database, signal), {
      everyMillis: PURGE_MILLIS,
      failures,
      failure: 'old messages of webhooks could not be deleted; trying again',
    }),
  ]
  return async () => {
    stopping.abort()
    const timer = setTimeout(() => breakingOff.abort(), GRACE_MILLIS)
    await Promise.all(stops.map((stop) => stop()))
    await Promise.all(running)
    clearTimeout(timer)
    poster.close()
  }
}
