import { type PurchaseDeps } from '../../purchases/purchase-deps.ts'
import { repeat } from '../../repeat.ts'
import { continueAudit } from './continue-audit.ts'

const POLL_MILLIS = 500

/**
 * Carries audits out on this server: one that was just requested, and one whose server was stopped or killed.
 * @returns `stop`, after which another server continues the audit under way.
 */
export function startAudits(deps: PurchaseDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = repeat(() => continueAudit(deps, { signal }), {
    everyMillis: POLL_MILLIS,
    signal,
    log: deps.log,
    failure: 'audits cannot be read; trying again',
  })
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
