import { type HealthReport, type PublicConfig, type UnreadyReason } from '@juicebar/contract/schemas'
import { type Api } from './route.ts'

/** POST /rpc: relays one JSON-RPC request to the chain. */
export function relayRoutes(api: Api, relay: (request: unknown) => Promise<string>): void {
  api.open('rpc', 'rpc', async ({ request, sendJson }) => sendJson(await relay(request.body)))
}

const PROBE_MILLIS = 1_000

export interface StatusOptions {
  /** Asks the database whether it takes writes; rejects if it does not or cannot answer. */
  probeDatabase: () => Promise<unknown>
  /** Why calls must not be sent here, though the database may answer. */
  unready: () => UnreadyReason | undefined
  /** The migration that is being applied. */
  migration: () => HealthReport['migration']
  isChainUp: () => boolean
  /** How long ago the background work last succeeded, in seconds. */
  age: () => HealthReport['age']
  publicConfig: Omit<PublicConfig, 'pause'>
  /** The public part of the market's pause. */
  readPause: () => Promise<PublicConfig['pause']>
}

/**
 * GET /health, /health/live, /health/ready and /api/config. Only the database makes the server unhealthy: without the chain, players can
 * still browse the market.
 */
export function statusRoutes(
  api: Api,
  { probeDatabase, unready, migration, isChainUp, age, publicConfig, readPause }: StatusOptions,
): void {
  const isDatabaseUp = () => answersInTime(probeDatabase())

  api.open('health', 'health', async ({ status }) => {
    const reason = unready()
    const databaseUp = await isDatabaseUp()
    const up = databaseUp && reason !== 'migrating' && reason !== 'outdated'
    const step = migration()
    const report: HealthReport = {
      status: up ? 'ok' : 'down',
      database: databaseUp ? 'ok' : 'down',
      chain: isChainUp() ? 'ok' : 'down',
      migrating: reason === 'migrating',
      ...(step && { migration: step }),
      version: publicConfig.version,
      age: inTenths(age()),
    }
    if (!up) status(503)
    return report
  })

  api.open('live', 'health', async () => ({ status: 'ok' as const }))

  api.open('ready', 'health', async ({ status }) => {
    const reason: UnreadyReason | null = unready() ?? ((await isDatabaseUp()) ? null : 'database')
    if (reason !== null) status(503)
    return { ready: reason === null, reason }
  })

  api.open('config', 'read', async () => ({ ...publicConfig, pause: await readPause() }))
}

function inTenths({ events, reconciliation }: HealthReport['age']): HealthReport['age'] {
  return { events: Math.round(events * 10) / 10, reconciliation: Math.round(reconciliation * 10) / 10 }
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
