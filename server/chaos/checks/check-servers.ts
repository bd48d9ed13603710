import { setTimeout as delay } from 'node:timers/promises'

import { type Audit } from '@juicebar/contract/schemas'

import { type Answer, type ApiClient, createApiClient } from '../players/api-client.ts'
import { type Stack } from '../stack/stack.ts'

/** The audit reads the payment of every settled purchase from the chain. */
const AUDIT_MILLIS = 600_000
const POLL_MILLIS = 1_000
const ERRORS_SHOWN = 5
const ID = /[0-9a-f-]{36}|[1-9A-HJ-NP-Za-km-z]{32,44}/g

/** The violations that the product's own audit reports. A payment that was rolled back is reported as unchecked, which is none. */
export async function checkAudit({ urls, studioApiKey }: Stack): Promise<string[]> {
  const studio = createApiClient({ urls, localAddress: undefined, bearer: studioApiKey })
  try {
    const audit = await untilDone(studio)
    const violations = audit.violations.map(({ invariant, detail }) => `audit, ${invariant}: ${detail}`)
    return audit.ok === true || violations.length > 0 ? violations : [`the audit did not end well: ${JSON.stringify(audit)}`]
  } finally {
    studio.stop()
  }
}

async function untilDone(studio: ApiClient): Promise<Audit> {
  const deadline = performance.now() + AUDIT_MILLIS
  let audit = auditIn(await studio.callWithRetries({ method: 'POST', path: '/api/studio/audits', body: { full: true } }))
  while (audit.status === 'running' && performance.now() < deadline) {
    await delay(POLL_MILLIS)
    audit = auditIn(await studio.callWithRetries({ method: 'GET', path: `/api/studio/audits/${audit.id}` }))
  }
  return audit
}

function auditIn(answer: Answer | undefined): Audit {
  if (!answer || answer.status >= 400) throw new Error(`the audit failed: ${JSON.stringify(answer)}`)
  return answer.body['audit'] as Audit
}

export function checkForCrashes({ servers }: Stack): string[] {
  return servers.filter((server) => server.crashes > 0).map((server) => `the server at ${server.url} crashed ${server.crashes} times`)
}

/** A call is answered with 500 if something went wrong that nobody has foreseen. */
export function checkForInternalErrors(clients: readonly ApiClient[]): string[] {
  const errors = clients.flatMap(({ internalErrors }) => internalErrors)
  const shown = [...new Set(errors.map((error) => error.replaceAll(ID, ':id')))].slice(0, ERRORS_SHOWN)
  return errors.length === 0 ? [] : [`${errors.length} calls were answered with 500, among them ${shown.join(', ')}`]
}
