import { type WalletAddress } from '@juicebar/contract/addresses'
import { Failure } from '@juicebar/contract/errors'
import { type PublicConfig } from '@juicebar/contract/schemas'
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'

import { type Chain } from './chain/chain.ts'
import { type Relay } from './chain/relay/relay.ts'
import { type Config } from './config.ts'
import { type DatabaseConnection } from './database/connect.ts'
import { bearerToken } from './http/api/bearer-token.ts'
import { registerPage } from './http/web-app.ts'
import { createRateLimits } from './http/api/rate-limits.ts'
import { relayRoute } from './http/relay-routes.ts'
import { createApi } from './http/api/route.ts'
import { createServer } from './http/server/server.ts'
import { statusRoutes } from './http/status-routes.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { listingRoutes } from './listings/routes.ts'
import { createFirstPages } from './market/page-cache.ts'
import { forgetAfterOwnChanges } from './market/invalidate-pages.ts'
import { marketRoutes } from './market/routes.ts'
import { prepareDatabase } from './prepare-database.ts'
import { purchaseRoutes } from './purchases/routes.ts'
import { startReconciliation } from './purchases/reconciliation/run-reconciliation.ts'
import { createEventReaders } from './realtime/broadcast-events.ts'
import { createEventFeed } from './realtime/poll-outbox.ts'
import { realtimeRoutes } from './realtime/routes.ts'
import { createLoginText } from './sign-in/login-text.ts'
import { startPurging } from './sign-in/purge-sign-ins.ts'
import { readSession } from './sign-in/read-session.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { createSessionTokens } from './sign-in/session-jwt.ts'
import { findLiveSessions } from './sign-in/sign-in-store.ts'
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
  /** The built page. */
  webFolder: string
  migrationsFolder: string
  /** See `SignInOptions`; it must bear being called again. */
  onFirstSignIn?: (wallet: WalletAddress) => Promise<void>
}

export interface App {
  fastify: FastifyInstance
  /**
   * Listens at once, answering DATABASE_DOWN until the database is there; fulfilled when it is, and the background work runs.
   * Rejects where the address cannot be had or a migration fails.
   */
  start(): Promise<void>
  stop(): Promise<void>
}

/** The whole server, put together from its parts. It closes neither the database connection nor the chain, which it was given. */
export async function createApp(parts: AppParts): Promise<App> {
  const { config, connection, chain, log } = parts
  const { pool, readPool, database } = connection
  const preparation = prepareDatabase(pool, parts.migrationsFolder, log)
  const tokens = createSessionTokens(parts.jwtSecret)
  const purchases = { database, chain, settings: { settleAt: config.settleAt, holdSeconds: config.holdSeconds }, log }

  const firstPages = createFirstPages()
  const fastify = await createServer({ ...config, log, version: parts.version, findReady: firstPages.find })
  fastify.addHook('onRequest', async ({ routeOptions }) => {
    if (!preparation.isReady() && needsDatabase(routeOptions.url)) throw new Failure('DATABASE_DOWN')
  })
  const authenticate = (request: FastifyRequest) => readSession(database, tokens, bearerToken(request))
  const limits = await createRateLimits(fastify)
  const api = createApi(fastify, { limits, studioApiKey: parts.studioApiKey, authenticate })
  const feed = createEventFeed(database, log)
  forgetAfterOwnChanges(fastify, firstPages)
  // Before the readers hear of a change: whoever asks because of an event finds it in the answer.
  feed.subscribe(() => firstPages.forget())
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
    tokens,
    loginText: createLoginText(config.productName, config.publicOrigin),
    onFirstSignIn: parts.onFirstSignIn ?? (async () => undefined),
  })
  inventoryRoutes(api, database)
  listingRoutes(api, database)
  marketRoutes(api, readPool, firstPages)
  purchaseRoutes(api, purchases)
  studioRoutes(api, purchases)
  realtimeRoutes(api, { database, feed, readers }, authenticate)
  relayRoute(api, parts.relay)
  await registerPage(fastify, parts.webFolder)

  const background: (() => unknown)[] = []
  return {
    fastify,
    start: async () => {
      await fastify.listen({ host: config.host, port: config.port })
      await preparation.run()
      if (preparation.isReady()) background.push(startPurging(database, log), feed.start(), startReconciliation(purchases).stop)
    },
    stop: async () => {
      preparation.stop()
      readers.stop()
      await fastify.close()
      for (const stop of background.splice(0).toReversed()) await stop()
    },
  }
}

function publicConfig(config: Config, version: string): PublicConfig {
  const { productName, network, demo, holdSeconds } = config
  return { productName, network, commitment: config.settleAt, demo, demoWallet: demo && network === 'localnet', holdSeconds, version }
}

function needsDatabase(url: string | undefined): boolean {
  return url?.startsWith('/api/') === true && url !== '/api/config' && url !== '/api/openapi.json'
}
