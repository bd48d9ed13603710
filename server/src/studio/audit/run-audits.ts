import { setTimeout as sleep } from 'node:timers/promises'

import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { continueAudit } from './continue-audit.ts'

const POLL_MILLIS = 500

/**
 * Carries audits out on this server: one that was just requested, and one whose server was stopped or killed.
 * @returns `stop`, after which another server continues the audit under way.
 */
export function startAudits(deps: PurchaseDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = run(deps, stopping.signal)
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** Of a series of failures only the first is logged. */
async function run(deps: PurchaseDeps, signal: AbortSignal): Promise<void> {
  let failed = false
  while (!signal.aborted) {
    try {
      await continueAudit(deps, { signal })
      failed = false
    } catch (error) {
      if (!failed) deps.log.warn({ err: error }, 'audits cannot be read; trying again')
      failed = true
    }
    await sleep(POLL_MILLIS, undefined, { signal }).catch(() => undefined)
  }
}
