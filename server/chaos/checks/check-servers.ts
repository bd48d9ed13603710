import { createApiClient } from '../players/api-client.ts'
import { type Stack } from '../stack/stack.ts'

/** The audit reads the payment of every settled purchase from the chain. */
const AUDIT_MILLIS = 600_000

/** The violations that the product's own audit reports. A payment that was rolled back is reported as unchecked, which is none. */
export async function checkAudit({ servers, studioApiKey }: Stack): Promise<string[]> {
  const urls = servers.map((server) => server.url)
  const studio = createApiClient({ urls, localAddress: undefined, bearer: studioApiKey, timeoutMillis: AUDIT_MILLIS })
  const answer = await studio.callWithRetries({ method: 'GET', path: '/api/studio/audit' })
  studio.stop()
  if (answer?.status !== 200) return [`the audit failed: ${JSON.stringify(answer)}`]
  const violations = (answer.body['violations'] as { invariant: string; detail: string }[]).map(
    ({ invariant, detail }) => `audit, ${invariant}: ${detail}`,
  )
  return answer.body['ok'] === true || violations.length > 0 ? violations : ['the audit is not ok but reports no violation']
}

export function checkForCrashes({ servers }: Stack): string[] {
  return servers.filter((server) => server.crashes > 0).map((server) => `the server at ${server.url} crashed ${server.crashes} times`)
}
