import { type HealthReport, type PublicConfig } from '@juicebar/contract/schemas'

import { type Api } from './api/route.ts'

const PROBE_MILLIS = 1_000

export interface StatusOptions {
  /** Asks the database anything; rejects if it cannot answer. */
  probeDatabase: () => Promise<unknown>
  isChainUp: () => boolean
  publicConfig: PublicConfig
}

/** GET /health and GET /api/config. Only the database makes the server unhealthy: without the chain the market can still be read. */
export function statusRoutes(api: Api, { probeDatabase, isChainUp, publicConfig }: StatusOptions): void {
  api.open('health', 'read', async ({ status }) => {
    const databaseUp = await answersInTime(probeDatabase())
    const report: HealthReport = {
      status: databaseUp ? 'ok' : 'down',
      database: databaseUp ? 'ok' : 'down',
      chain: isChainUp() ? 'ok' : 'down',
      version: publicConfig.version,
    }
    if (!databaseUp) status(503)
    return report
  })

  api.open('config', 'read', async () => publicConfig)
}

/** A failed probe is the answer here, not an error. */
async function answersInTime(probe: Promise<unknown>): Promise<boolean> {
  const outcome = probe.then(
    () => true,
    () => false,
  )
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, PROBE_MILLIS, false)))
  try {
    return await Promise.race([outcome, deadline])
  } finally {
    clearTimeout(timer)
  }
}
