import { type WalletAddress } from '@juicebar/contract/addresses'
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'
import { Failure } from '@juicebar/contract/errors'
import { DRINK_PATH, LISTING_PATH } from '@juicebar/contract/market-settings'
import { type Brand, houseBrand } from './brand/brand.ts'
import { type Catalogue, drinkPage } from './catalogue/catalogue.ts'
import { type Chain } from './chain/chain.ts'
import { type Relay } from './chain/client/relay.ts'
import { type DatabaseConnection } from './database/connect.ts'
import { type FailureLog } from './runtime/outage.ts'
import { type Metrics, createMetrics } from './metrics/metrics.ts'
import { type EndpointUse } from './metrics/readings.ts'
import { type Config, phoneOrigin, publicConfig } from './config.ts'
import { pushContact } from './alerts/push.ts'
import { startPushes } from './alerts/run-pushes.ts'
import { alertRoutes } from './alerts/routes.ts'
import { startAlerts } from './alerts/run-alerts.ts'
import { bearerToken } from './http/credentials.ts'
import { needsDatabase, createApi } from './http/route.ts'
import { marketLook } from './brand/market-look.ts'
import { recordCatalogue } from './inventory/record-catalogue.ts'
import { registerPaymentRequests } from './purchases/pay-link/solana-pay-routes.ts'
import { registerSecurityTxt } from './http/security-txt.ts'
import { registerWebApp } from './http/web-app.ts'
import { createRateLimits } from './http/rate-limits.ts'
import { relayRoutes, statusRoutes } from './http/status-routes.ts'
import { compress, compressFigures } from './http/compression.ts'
import { createServer } from './http/server.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { readListingPage } from './listings/change-listings.ts'
import { listingRoutes } from './listings/routes.ts'
import { createFigures, startRollingUp } from './market/create-figures.ts'
import { figureRoutes, profitRoutes, marketRoutes } from './market/routes.ts'
import { createPageCaches } from './market/page-cache.ts'
import { invalidatePagesOnWrites, startRefreshingCopies } from './market/send-page.ts'
import { createPoster } from './outgoing/post-message.ts'
import { prepareDatabase } from './database/prepare-database.ts'
import { startCheckingFunds, startRecordingOutages } from './purchases/hold/check-funds.ts'
import { createNetworkHash } from './purchases/pay-link/pay-link.ts'
import { preparePayment, requirePayLink } from './purchases/pay-link/make-pay-link.ts'
import { payLinkRoutes, purchaseRoutes } from './purchases/routes.ts'
import { createCoSigners } from './purchases/purchase/co-signer.ts'
import { createReferences } from './purchases/purchase/reference.ts'
import { startSearchingHistories } from './purchases/reconciliation/search-histories.ts'
import { createReconciliation } from './purchases/reconciliation/reconcile-round.ts'
import { delay } from './runtime/repeat.ts'
import { startAnnouncingOutages, createEventReaders } from './realtime/broadcast-events.ts'
import { lastEventId } from './realtime/event-frame.ts'
import { createEventFeed } from './realtime/poll-outbox.ts'
import { realtimeRoutes } from './realtime/routes.ts'
import { checkSignIn, readOwnBlock, createPauseReader } from './restrictions/check-restrictions.ts'
import { createLoginText, createSessionJwts } from './sign-in/session-jwt.ts'
import { readSession } from './sign-in/verify-signature.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { findLiveSessions } from './sign-in/sign-in-store.ts'
import { startPurges } from './start-purging.ts'
import { startAudits } from './studio/audit/run-audits.ts'
import { recordRewind, checkIdentity, startCheckingIdentity, startRecordingSlots } from './studio/recovery/check-identity.ts'
import { startRecoveries } from './studio/recovery/continue-recovery.ts'
import { startStampingSales } from './studio/sales/read-sales.ts'
import { createKeyCheck } from './studio/keys/change-keys.ts'
import { createStaffCheck } from './studio/staff/check-staff.ts'
import { restrictionRoutes, studioRoutes } from './studio/routes.ts'
import { startWebhooks } from './studio/webhooks/run-webhooks.ts'
import { webhookRoutes } from './studio/webhooks/routes.ts'

/** The parts that the server is built from. */
export interface AppParts {
  config: Config
  jwtSecret: string
  /** As `createReferences` and `createCoSigners` take them; the secret of the sessions by default. */
  referenceSecrets?: readonly string[]
  studioApiKey: string
  connection: DatabaseConnection
  /** Distinguishes a built-in database from a copy of it, if payments outlive both. */
  databaseFiles?: string | undefined
  chain: Chain
  /** The chain's endpoints with their own counts, for the metrics. */
  endpoints?: readonly EndpointUse[]
  relay: Relay
  log: FastifyBaseLogger
  failures: FailureLog
  version: string
  /** Juicebar's own by default. */
  brand?: Brand
  catalogue: Catalogue
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

/** Builds the whole server. `stop` leaves the database connection and the chain open, since the caller opened them. */
export async function createApp(parts: AppParts): Promise<App> {
  const { config, connection, catalogue, chain, log, failures } = parts
  const { database } = connection
  const metrics = createMetrics(config.metrics)
  const feed = createEventFeed(database, { log, failures, onLoss: (lostAt) => recordRewind(identity, { cause: 'lost', lostAt }) })
  const identity = { database, log, failures, hasLost: feed.hasLost, files: parts.databaseFiles }
  const preparation = prepareDatabase(connection, parts.migrationsFolder, {
    log,
    failures,
    check: async (signal) => {
      await checkIdentity(identity, signal)
      if (!signal.aborted) await recordCatalogue(database, catalogue)
    },
  })
  const drained = new AbortController()
  let draining = false
  let closing: Promise<void> | undefined
  const jwts = createSessionJwts(parts.jwtSecret)
  const referenceSecrets = parts.referenceSecrets ?? [parts.jwtSecret]
  const purchases = {
    database,
    chain,
    catalogue,
    settings: {
      settleAt: config.settleAt,
      holdSeconds: config.holdSeconds,
      networkHolds: config.networkHolds,
      fee: config.fee,
      coSign: config.coSign,
      walletSends: config.walletSends,
    },
    references: createReferences(referenceSecrets),
    coSigners: createCoSigners(referenceSecrets),
    log,
    failures,
    observer: metrics?.counts.purchases,
  }

  const reconciliation = createReconciliation(purchases)
  const caches = createPageCaches({ lastEventId: () => lastEventId(feed), compress, compressFigures })
  const fastify = await createServer({
    ...config,
    log,
    failures,
    version: parts.version,
    items: catalogue.items,
    isDraining: () => draining,
    onAnswered: metrics?.counts.answered,
    findCached: (url) => (preparation.state() === 'ready' ? caches.find(url) : undefined),
  })
  fastify.addHook('onRequest', async ({ routeOptions }) => {
    const code = refusals[preparation.state()]
    if (code && needsDatabase(routeOptions.url ?? '')) throw new Failure(code)
  })
  const authenticate = (request: FastifyRequest) => readSession(database, jwts, bearerToken(request))
  const limits = await createRateLimits(fastify)
  const keys = createKeyCheck(database, failures)
  const desk = { named: new Set(config.studioWallets), market: `${config.productName}, ${new URL(config.publicOrigin).host}` }
  const staff = createStaffCheck(database, desk.named)
  const api = createApi(fastify, { limits, studioApiKey: parts.studioApiKey, findStudioKey: keys.find, staff, authenticate })
  invalidatePagesOnWrites(fastify, caches)
  // Subscribed before the event streams, so that a client that reacts to an event gets an answer that includes the change.
  feed.subscribe({ onEvents: caches.clear, onReset: caches.clear })
  const readers = createEventReaders(feed, (ids) => findLiveSessions(database, ids), failures)

  const probeDatabase = async () => {
    if (preparation.state() === 'unreached') throw new Failure('DATABASE_DOWN')
    await connection.probe()
  }

  statusRoutes(api, {
    probeDatabase,
    unready: () => {
      const state = preparation.state()
      if (state === 'migrating' || state === 'outdated') return state
      if (draining) return 'draining'
      // Until then event streams cannot start.
      return feed.position() ? undefined : 'database'
    },
    migration: preparation.progress,
    isChainUp: () => chain.isUp(),
    age: () => ({ events: feed.age(), reconciliation: reconciliation.age() }),
    publicConfig: publicConfig(config, purchases.coSigners, parts.version),
    readPause: createPauseReader(database),
  })
  signInRoutes(api, database, {
    jwts,
    loginText: createLoginText(config.productName, config.publicOrigin),
    onFirstSignIn: parts.onFirstSignIn ?? (async () => undefined),
    checkSignIn: (wallet) => checkSignIn(database, wallet),
    readBlock: (wallet) => readOwnBlock(database, wallet),
  })
  inventoryRoutes(api, database, catalogue)
  listingRoutes(api, database, catalogue)
  marketRoutes(api, connection, { pageCache: caches.listings, probeDatabase }, { chain, catalogue, fee: config.fee })
  figureRoutes(api, { figures: createFigures(connection, catalogue), catalogue, caches, probeDatabase })
  profitRoutes(api, connection)
  const hashNetwork = createNetworkHash(parts.jwtSecret)
  purchaseRoutes(api, purchases, hashNetwork)
  payLinkRoutes(api, purchases, { publicOrigin: phoneOrigin(config), hashNetwork, authenticate })
  studioRoutes(api, purchases, desk)
  webhookRoutes(api, purchases, { allowPrivate: config.webhookAllowPrivate })
  restrictionRoutes(api, database, catalogue)
  alertRoutes(api, database, catalogue)
  realtimeRoutes(api, { database, feed, readers, failures }, authenticate)
  relayRoutes(api, parts.relay)
  await registerSecurityTxt(fastify, { ...config, contact: config.securityContact, policyFile: parts.securityPolicyFile })
  const look = marketLook(config, parts.brand ?? houseBrand, catalogue)
  const payee = { label: look.head.settings.title, icon: new URL(look.head.settings.logo, config.publicOrigin).href }
  await registerPaymentRequests(fastify, limits['pay-link'], {
    describe: (token) => requirePayLink(database, token).then(() => payee),
    prepare: (token, account) => preparePayment(purchases, token, account),
  })
  await registerWebApp(fastify, parts.webFolder, look, [
    { path: `${DRINK_PATH}:id`, limit: limits.read, describe: async (code) => drinkPage(catalogue, code) },
    { path: `${LISTING_PATH}:id`, limit: limits.read, describe: (id) => readListingPage(database, id) },
  ])

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
  const state = () => ({
    version: parts.version,
    endpoints: parts.endpoints ?? [],
    chainUp: chain.isUp(),
    chainBacklogSeconds: chain.budget().backlogSeconds,
    streams: readers.count(),
    outboxSeconds: feed.age(),
    roundSeconds: reconciliation.age(),
  })
  return {
    fastify,
    metrics,
    start: async () => {
      await metrics?.listen({ connection, state })
      await fastify.listen({ host: config.host, port: config.port })
      await preparation.run()
      if (preparation.state() !== 'ready') return
      background.push(
        connection.watchCommits(failures),
        startPurges(database, failures),
        feed.start(),
        startAnnouncingOutages(feed, readers),
        reconciliation.start(),
        startSearchingHistories(purchases),
        startAudits(purchases),
        startRecoveries(purchases),
        startRecordingSlots(purchases),
        startCheckingIdentity(identity),
        startStampingSales(purchases),
        startRollingUp(purchases),
        startWebhooks({
          ...purchases,
          poster: createPoster({ allowPrivate: config.webhookAllowPrivate }),
          onAttempt: metrics?.counts.webhookAttempt,
        }),
        startAlerts({ database, feed, failures }),
        startPushes({ database, catalogue, log, failures, contact: pushContact(config), poster: createPoster({ allowPrivate: false }) }),
        startRecordingOutages(purchases),
        startCheckingFunds(purchases),
        startRefreshingCopies(caches.listings, failures),
        startRefreshingCopies(caches.figures, failures),
      )
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
