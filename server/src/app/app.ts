import { Failure } from '@juicebar/contract/errors'
import { type FastifyInstance } from 'fastify'
import { type AppContext, type AppParts, createContext } from './context.ts'
import { jobsOf, type Readiness, registerCalls, registerPages, startServices } from './features.ts'
import { createRateLimits } from '../http/rate-limits.ts'
import { createApi, needsDatabase } from '../http/route.ts'
import { createServer } from '../http/server.ts'
import { invalidatePagesOnWrites } from '../market/send-page.ts'
import { type Metrics } from '../metrics/metrics.ts'
import { delay, startJobs } from '../runtime/repeat.ts'

export interface App {
  fastify: FastifyInstance
  /** Undefined unless they are switched on. */
  metrics: Metrics | undefined
  /**
   * Listens at once and answers DATABASE_DOWN or UPGRADING until the database is migrated. Resolves when it is and the background work
   * has started. Rejects if the address cannot be bound or a migration fails.
   */
  start(): Promise<void>
  /**
   * Stops once the calls under way are done. With `drain`, it first reports that it is not ready and continues as usual for a while;
   * stopping it again without `drain` ends that.
   */
  stop(how?: { drain: boolean }): Promise<void>
}

/**
 * Connections that may wait to be accepted, as many as Linux allows by default: with Node.js' 511, the system drops those of the readers who all
 * come back after a restart.
 */
const BACKLOG = 4_096

/** Builds the whole server. `stop` leaves the database connection and the chain open, since the caller opened them. */
export async function createApp(parts: AppParts): Promise<App> {
  const context = createContext(parts)
  const { config, connection, failures, keys, metrics, preparation, readers } = context
  const drained = new AbortController()
  let draining = false
  let closing: Promise<void> | undefined
  const fastify = await createHttp(context, () => draining)
  const background: (() => unknown)[] = []
  /** Readers of events resume on another server. */
  const endWork = async () => {
    readers.stop()
    for (const stop of background.splice(0).toReversed()) await stop()
  }
  const close = async () => {
    await preparation.stop()
    readers.stop()
    await fastify.close()
    await keys.idle()
    await endWork()
    await metrics?.close()
  }
  return {
    fastify,
    metrics,
    start: async () => {
      await metrics?.listen({ connection, state: () => stateOf(context) })
      await fastify.listen({ host: config.host, port: config.port, backlog: BACKLOG })
      await preparation.run()
      if (preparation.state() !== 'ready') return
      background.push(...startServices(context), startJobs(jobsOf(context), failures))
      void preparation.untilOutdated().then((outdated) => (outdated ? endWork() : undefined))
    },
    stop: async ({ drain } = { drain: false }) => {
      if (!drain) drained.abort()
      draining = preparation.state() === 'ready'
      if (draining) await delay(config.drainSeconds * 1_000, drained.signal)
      await (closing ??= close())
    },
  }
}

/** The failure of calls that need the database, until it is ready. */
const refusals = { unreached: 'DATABASE_DOWN', migrating: 'UPGRADING', outdated: 'UPGRADING', ready: undefined } as const

async function createHttp(context: AppContext, isDraining: () => boolean): Promise<FastifyInstance> {
  const { config, connection, log, failures, version, catalogue, metrics, preparation, caches } = context
  const fastify = await createServer({
    ...config,
    log,
    failures,
    version,
    isDraining,
    items: catalogue.items,
    onAnswered: metrics?.counts.answered,
    findCached: context.findCached,
  })
  fastify.addHook('onRequest', async ({ routeOptions }) => {
    const code = refusals[preparation.state()]
    if (code && needsDatabase(routeOptions.url ?? '')) throw new Failure(code)
  })
  const limits = await createRateLimits(fastify)
  const { studioApiKey, keys, staff, authenticate } = context
  const api = createApi(fastify, { limits, studioApiKey, findStudioKey: keys.find, staff, authenticate })
  invalidatePagesOnWrites(fastify, caches)
  const probeDatabase: Readiness['probeDatabase'] = async () => {
    if (preparation.state() === 'unreached') throw new Failure('DATABASE_DOWN')
    await connection.probe()
  }
  registerCalls(api, context, { probeDatabase, isDraining })
  await registerPages(fastify, limits, context)
  return fastify
}

/** What the metrics show of this server. */
function stateOf({ version, endpoints, chain, readers, feed, reconciliation }: AppContext) {
  return {
    version,
    endpoints: endpoints ?? [],
    chainUp: chain.isUp(),
    chainBacklogSeconds: chain.budget().backlogSeconds,
    streams: readers.count(),
    outboxSeconds: feed.age(),
    roundSeconds: reconciliation.age(),
  }
}
