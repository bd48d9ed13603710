import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'

import { type Chain } from './chain/chain.ts'
import { type Relay } from './chain/relay/relay.ts'
import { type Config } from './config.ts'
import { type DatabaseConnection } from './database/connect.ts'
import { bearerToken } from './http/api/bearer-token.ts'
import { needsDatabase } from './http/api/needs-database.ts'
import { registerSecurityTxt } from './http/security-txt.ts'
import { registerWebApp } from './http/web-app.ts'
import { createRateLimits } from './http/api/rate-limits.ts'
import { relayRoutes } from './http/relay-routes.ts'
import { createApi } from './http/api/route.ts'
import { compress } from './http/api/compression.ts'
import { createServer } from './http/server/server.ts'
import { statusRoutes } from './http/status-routes.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { listingRoutes } from './listings/routes.ts'
import { createPageCache } from './market/page-cache.ts'
import { invalidatePagesOnWrites } from './market/invalidate-pages.ts'
import { marketRoutes } from './market/routes.ts'
import { prepareDatabase } from './prepare-database.ts'
import { startRecordingOutages } from './purchases/hold/record-outages.ts'
import { purchaseRoutes } from './purchases/routes.ts'
import { startReconciliation } from './purchases/reconciliation/run-reconciliation.ts'
import { createEventReaders } from './realtime/broadcast-events.ts'
import { formatPosition } from './realtime/event-frame.ts'
import { createEventFeed, type EventFeed } from './realtime/poll-outbox.ts'
import { realtimeRoutes } from './realtime/routes.ts'
import { createLoginText } from './sign-in/login-text.ts'
import { startPurging } from './sign-in/purge-sign-ins.ts'
import { readSession } from './sign-in/read-session.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { createSessionJwts } from './sign-in/session-jwt.ts'
import { findLiveSessions } from './sign-in/sign-in-store.ts'
import { startAudits } from './studio/audit/run-audits.ts'
import { studioRoutes } from './studio/routes.ts'

export interface AppParts {
  config: Config
  jwtSecret: string
  studioApiKey: string
  connection: DatabaseConnection
  chain: Chain
  relay: Relay
  log: FastifyBaseLogger
  version: string
  /** The built web app. */
  webFolder: string
  migrationsFolder: string
  /** How to report a vulnerability, for people. */
  securityPolicyFile?: string
  /** See `SignInOptions`. Must be idempotent. */
  onFirstSignIn?: (wallet: WalletAddress) => Promise<void>
}

export interface App {
  fastify: FastifyInstance
  /**
   * Listens at once and answers DATABASE_DOWN until the database is migrated. Resolves when it is and the background work has
   * started. Rejects if the address cannot be bound or a migration fails.
   */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Puts the whole server together. `stop` leaves the database connection and the chain open, since the caller opened them. */
export async function createApp(parts: AppParts): Promise<App> {
  const { config, connection, chain, log } = parts
  const { pool, readPool, database } = connection
  const preparation = prepareDatabase(pool, parts.migrationsFolder, log)
  const jwts = createSessionJwts(parts.jwtSecret)
  const purchases = { database, chain, settings: { settleAt: config.settleAt, holdSeconds: config.holdSeconds }, log }

  const feed = createEventFeed(database, log)
  const pageCache = createPageCache({ lastEventId: () => lastEventId(feed), compress })
  const fastify = await createServer({ ...config, log, version: parts.version, findCached: pageCache.find })
  fastify.addHook('onRequest', async ({ routeOptions }) => {
    if (!preparation.isReady() && needsDatabase(routeOptions.url ?? '')) throw new Failure('DATABASE_DOWN')
  })
  const authenticate = (request: FastifyRequest) => readSession(database, jwts, bearerToken(request))
  const limits = await createRateLimits(fastify)
  const api = createApi(fastify, { limits, studioApiKey: parts.studioApiKey, authenticate })
  invalidatePagesOnWrites(fastify, pageCache)
  // Subscribed before the event streams: whoever reacts to an event gets an answer that includes the change.
  feed.subscribe(() => pageCache.clear())
  const readers = createEventReaders(feed, (ids) => findLiveSessions(database, ids))

  statusRoutes(api, {
    probeDatabase: async () => {
      if (!preparation.isReady()) throw new Failure('DATABASE_DOWN')
      await connection.probe()
    },
    isChainUp: () => chain.isUp(),
    publicConfig: publicConfig(config, parts.version),
  })
  signInRoutes(api, database, {
    jwts,
    loginText: createLoginText(config.productName, config.publicOrigin),
    onFirstSignIn: parts.onFirstSignIn ?? (async () => undefined),
  })
  inventoryRoutes(api, database)
  listingRoutes(api, database)
  marketRoutes(api, readPool, pageCache)
  purchaseRoutes(api, purchases)
  studioRoutes(api, purchases)
  realtimeRoutes(api, { database, feed, readers }, authenticate)
  relayRoutes(api, parts.relay)
  await registerSecurityTxt(fastify, { ...config, contact: config.securityContact, policyFile: parts.securityPolicyFile })
  await registerWebApp(fastify, parts.webFolder)

  const background: (() => unknown)[] = []
  return {
    fastify,
    start: async () => {
      await fastify.listen({ host: config.host, port: config.port })
      await preparation.run()
      if (!preparation.isReady()) return
      background.push(
        startPurging(database, log),
        feed.start(),
        startReconciliation(purchases).stop,
        startAudits(purchases).stop,
        startRecordingOutages(purchases),
      )
    },
    stop: async () => {
      preparation.stop()
      readers.stop()
      await fastify.close()
      for (const stop of background.splice(0).toReversed()) await stop()
    },
  }
}

function lastEventId(feed: EventFeed): string | undefined {
  const position = feed.position()
  return position && formatPosition(position)
}

function publicConfig(config: Config, version: string): PublicConfig {
  const { productName, network, demo, holdSeconds } = config
  return { productName, network, commitment: config.settleAt, demo, demoWallet: demo && network === 'localnet', holdSeconds, version }
}
