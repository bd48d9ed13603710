import { type WalletAddress } from '@juicebar/contract/addresses'
import { type FastifyBaseLogger, type FastifyRequest } from 'fastify'
import { type Brand, houseBrand } from '../brand/brand.ts'
import { marketLook } from '../brand/market-look.ts'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Chain, type Relay } from '../chain/chain.ts'
import { type Config } from '../config.ts'
import { type DatabaseConnection } from '../database/connect.ts'
import { prepareDatabase } from '../database/prepare-database.ts'
import { compress, compressFigures } from '../http/compression.ts'
import { bearerToken } from '../http/credentials.ts'
import { recordCatalogue } from '../inventory/record-catalogue.ts'
import { createPageCaches } from '../market/page-cache.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { type EndpointUse } from '../metrics/readings.ts'
import { createNetworkHash } from '../purchases/pay-link/pay-link.ts'
import { createCoSigners } from '../purchases/purchase/co-signer.ts'
import { type PurchaseDeps } from '../purchases/purchase/purchase-deps.ts'
import { createReferences } from '../purchases/purchase/reference.ts'
import { createReconciliation } from '../purchases/reconciliation/reconcile-round.ts'
import { createEventReaders } from '../realtime/broadcast-events.ts'
import { lastEventId } from '../realtime/event-frame.ts'
import { createEventFeed } from '../realtime/poll-outbox.ts'
import { type FailureLog } from '../runtime/outage.ts'
import { createSessionJwts } from '../sign-in/session-jwt.ts'
import { findLiveSessions } from '../sign-in/sign-in-store.ts'
import { readSession } from '../sign-in/verify-signature.ts'
import { createKeyCheck } from '../studio/keys/check-key.ts'
import { checkIdentity, recordRewind } from '../studio/recovery/check-identity.ts'
import { createStaffCheck } from '../studio/staff/check-staff.ts'

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

/** What the features of one server share, made from its parts. The event readers check their sessions from now on; nothing else works in the background yet. */
export type AppContext = ReturnType<typeof createContext>

export function createContext(parts: AppParts) {
  const { config, connection, log, failures } = parts
  const { database } = connection
  const metrics = createMetrics(config.metrics)
  const feed = createEventFeed(database, { log, failures, onLoss: (lostAt) => recordRewind(identity, { cause: 'lost', lostAt }) })
  const identity = { database, log, failures, hasLost: feed.hasLost, files: parts.databaseFiles }
  const purchases = purchaseDeps(parts, metrics?.counts.purchases)
  const caches = createPageCaches({ lastEventId: () => lastEventId(feed), compress, compressFigures })
  // Subscribed before the event streams, so that a client that reacts to an event gets an answer that includes the change.
  feed.subscribe({ onEvents: caches.clear, onReset: caches.clear })
  const jwts = createSessionJwts(parts.jwtSecret)
  const preparation = prepareDatabase(connection, parts.migrationsFolder, {
    log,
    failures,
    check: async (signal) => {
      await checkIdentity(identity, signal)
      if (!signal.aborted) await recordCatalogue(database, parts.catalogue)
    },
  })
  const look = marketLook(config, parts.brand ?? houseBrand, parts.catalogue)
  const desk = { named: new Set(config.studioWallets), market: `${config.productName}, ${new URL(config.publicOrigin).host}` }
  return {
    ...parts,
    database,
    metrics,
    feed,
    identity,
    purchases,
    caches,
    jwts,
    look,
    payee: { label: look.head.settings.title, icon: new URL(look.head.settings.logo, config.publicOrigin).href },
    desk,
    preparation,
    /** Returns the reply to a GET of this path and query, if it is in memory. */
    findCached: (url: string) => (preparation.state() === 'ready' ? caches.find(url) : undefined),
    reconciliation: createReconciliation(purchases),
    readers: createEventReaders(feed, (ids) => findLiveSessions(database, ids), failures),
    authenticate: (request: FastifyRequest) => readSession(database, jwts, bearerToken(request)),
    hashNetwork: createNetworkHash(parts.jwtSecret),
    keys: createKeyCheck(database, failures),
    staff: createStaffCheck(database, desk.named),
  }
}

function purchaseDeps(parts: AppParts, observer: PurchaseDeps['observer']): PurchaseDeps {
  const { config, connection, chain, catalogue, log, failures } = parts
  const secrets = parts.referenceSecrets ?? [parts.jwtSecret]
  const { settleAt, holdSeconds, networkHolds, fee, coSign, walletSends } = config
  return {
    database: connection.database,
    chain,
    catalogue,
    log,
    failures,
    observer,
    settings: { settleAt, holdSeconds, networkHolds, fee, coSign, walletSends },
    references: createReferences(secrets),
    coSigners: createCoSigners(secrets),
  }
}
