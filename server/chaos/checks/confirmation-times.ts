import { setTimeout as delay } from 'node:timers/promises'

import { type ChainClient } from '../players/chain-client.ts'
import { type Journal } from '../players/journal.ts'

/** When the chain itself was first seen to have confirmed each transaction of the run: the truth behind the proxy. */
export interface Confirmations {
  /** Milliseconds since 1970 for each signature that the chain accepted. */
  acceptedAt: ReadonlyMap<string, number>
  stop(): Promise<void>
}

interface Status {
  err: unknown
  confirmationStatus: string | null
}

const LOOK_MILLIS = 100
/** Most that one call takes (Agave, `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const SIGNATURES_A_CALL = 256
/** Longer than any blockhash of the run lives. */
const HOPELESS_MILLIS = 90_000

export function watchConfirmations(chain: ChainClient, journal: Journal): Confirmations {
  const acceptedAt = new Map<string, number>()
  const done = new Set<string>()
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look().catch(() => undefined)
      await delay(LOOK_MILLIS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  async function look(): Promise<void> {
    const open = [...journal.payments.values()].filter(({ signature }) => !done.has(signature))
    for (const { signature, signedAt } of open) if (Date.now() - signedAt > HOPELESS_MILLIS) done.add(signature)
    for (let from = 0; from < open.length; from += SIGNATURES_A_CALL) {
      const signatures = open.slice(from, from + SIGNATURES_A_CALL).map(({ signature }) => signature)
      const { value } = await chain.ask<{ value: (Status | null)[] }>('getSignatureStatuses', [
        signatures,
        { searchTransactionHistory: true },
      ])
      signatures.forEach((signature, index) => note(signature, value[index]))
    }
  }

  function note(signature: string, status: Status | null | undefined): void {
    if (!status || status.confirmationStatus === 'processed') return
    done.add(signature)
    if (status.err === null) acceptedAt.set(signature, Date.now())
  }

  return {
    acceptedAt,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
