import { setTimeout as delay } from 'node:timers/promises'

import { type ChainClient } from '../players/chain-client.ts'
import { type Journal } from '../players/journal.ts'
import { type ProductRecord } from './product-record.ts'

/** When each transaction of the run was first seen confirmed on the chain itself, without the proxy's faults. */
export interface ConfirmationTimes {
  /** Unix milliseconds by signature, for transactions that succeeded. */
  confirmedAt: ReadonlyMap<string, number>
  stop(): Promise<void>
}

interface Status {
  err: unknown
  confirmationStatus: string | null
}

const POLL_MILLIS = 100
/** The most that one call accepts (Agave, `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const SIGNATURES_PER_CALL = 256
/** Twice as long as a blockhash lives. Hardly any older payment is still to come, and there are many that were never to land. */
const YOUNG_MILLIS = 15_000
const OLD_EVERY_POLLS = 10
/** Longer than any blockhash of the run lives. */
const EXPIRED_MILLIS = 90_000

/** Polls the status of every payment in the journal until it is confirmed or its blockhash has expired. */
export function recordConfirmations(chain: ChainClient, journal: Journal): ConfirmationTimes {
  const confirmedAt = new Map<string, number>()
  const done = new Set<string>()
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    for (let n = 0; !stopping.signal.aborted; n++) {
      await poll({ asksForOld: n % OLD_EVERY_POLLS === 0 }).catch(() => undefined)
      await delay(POLL_MILLIS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  async function poll({ asksForOld }: { asksForOld: boolean }): Promise<void> {
    const now = Date.now()
    const since = now - (asksForOld ? EXPIRED_MILLIS : YOUNG_MILLIS)
    const open = [...journal.payments.values()].filter(({ signature, signedAt }) => signedAt >= since && !done.has(signature))
    for (let from = 0; from < open.length; from += SIGNATURES_PER_CALL) {
      const signatures = open.slice(from, from + SIGNATURES_PER_CALL).map(({ signature }) => signature)
      const { value } = await chain.call<{ value: (Status | null)[] }>('getSignatureStatuses', [
        signatures,
        { searchTransactionHistory: true },
      ])
      signatures.forEach((signature, index) => record(signature, value[index]))
    }
  }

  function record(signature: string, status: Status | null | undefined): void {
    if (!status || status.confirmationStatus === 'processed') return
    done.add(signature)
    if (status.err === null) confirmedAt.set(signature, Date.now())
  }

  return {
    confirmedAt,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** From the chain's confirmation of a payment until its tokens were delivered. */
export interface Delivery {
  purchaseId: string
  millis: number
}

/** The delivery times of all payments that were in time. */
export function deliveryTimes({ purchases, cases }: ProductRecord, { confirmedAt }: ConfirmationTimes): Delivery[] {
  const late = new Set([...cases.values()].map((openedCase) => openedCase.signature))
  return [...purchases.values()].flatMap(({ purchaseId, signature, settledAt }) => {
    const confirmed = signature === null || late.has(signature) ? undefined : confirmedAt.get(signature)
    return confirmed === undefined || settledAt === null ? [] : [{ purchaseId, millis: Math.max(0, Date.parse(settledAt) - confirmed) }]
  })
}
