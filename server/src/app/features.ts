import { CHECKOUT_PATH, DRINK_PATH, LISTING_PATH } from '@juicebar/contract/market-settings'
import { type FastifyInstance } from 'fastify'
import { alerts } from '../alerts/routes.ts'
import { type AppContext } from './context.ts'
import { drinkPage } from '../catalogue/catalogue.ts'
import { readCheckoutPage } from '../checkouts/open-checkout.ts'
import { publicConfig } from '../config.ts'
import { type Extra } from '../http/extra.ts'
import { type LimitChecks, type LimitName } from '../http/rate-limits.ts'
import { type Api } from '../http/route.ts'
import { registerSecurityTxt } from '../http/security-txt.ts'
import { relayRoutes, statusRoutes } from '../http/status-routes.ts'
import { registerWebApp } from '../http/web-app.ts'
import { inventoryRoutes } from '../inventory/routes.ts'
import { readListingPage } from '../listings/change-listings.ts'
import { deleteOldKeys } from '../listings/listing-store.ts'
import { listingRoutes } from '../listings/routes.ts'
import { createFigures, rollingUpJob } from '../market/create-figures.ts'
import { figureRoutes, marketRoutes, profit } from '../market/routes.ts'
import { refreshingJob } from '../market/send-page.ts'
import { deleteOldRefusals } from '../purchases/co-signed/co-signed-store.ts'
import { fundsJob, outageJob } from '../purchases/hold/check-funds.ts'
import { historyJob } from '../purchases/reconciliation/search-histories.ts'
import { payLinks, purchaseRoutes } from '../purchases/routes.ts'
import { startAnnouncingOutages } from '../realtime/broadcast-events.ts'
import { realtimeRoutes } from '../realtime/routes.ts'
import { checkSignIn, createPauseReader, readOwnBlock } from '../restrictions/check-restrictions.ts'
import { type Job, purging } from '../runtime/repeat.ts'
import { signInRoutes } from '../sign-in/routes.ts'
import { createLoginText } from '../sign-in/session-jwt.ts'
import { deleteExpired } from '../sign-in/sign-in-store.ts'
import { checkouts } from '../studio/checkouts/routes.ts'
import { studio } from '../studio/routes.ts'
import { webhooks } from '../studio/webhooks/routes.ts'

/** Everything that the market would also work without. */
const extras: readonly Extra<AppContext>[] = [profit, payLinks, checkouts, studio, webhooks, alerts]

/** Whether the database takes writes, and why calls must not be sent here although it may. */
export interface Readiness {
  probeDatabase: () => Promise<void>
  isDraining: () => boolean
}

/** The calls of every feature. */
export function registerCalls(api: Api, context: AppContext, readiness: Readiness): void {
  const { config, connection, database, catalogue, chain, purchases, caches, feed, readers, failures } = context
  const { hashNetwork, authenticate } = context
  const { probeDatabase } = readiness
  statusRoutes(api, { ...statusOf(context, readiness), publicConfig: publicConfig(config, purchases.coSigners, context.version) })
  signInRoutes(api, database, {
    jwts: context.jwts,
    loginText: createLoginText(config.productName, config.publicOrigin),
    onFirstSignIn: context.onFirstSignIn ?? (async () => undefined),
    checkSignIn: (wallet) => checkSignIn(database, wallet),
    readBlock: (wallet) => readOwnBlock(database, wallet),
  })
  inventoryRoutes(api, database, catalogue)
  listingRoutes(api, database, catalogue)
  marketRoutes(api, connection, { pageCache: caches.listings, probeDatabase }, { chain, catalogue, fee: config.fee })
  figureRoutes(api, { figures: createFigures(connection, catalogue), catalogue, caches, probeDatabase })
  purchaseRoutes(api, purchases, hashNetwork)
  realtimeRoutes(api, { database, feed, readers, failures }, authenticate)
  relayRoutes(api, context.relay)
  for (const extra of extras) extra.calls(api, context)
}

function statusOf({ preparation, feed, reconciliation, chain, database }: AppContext, { probeDatabase, isDraining }: Readiness) {
  return {
    probeDatabase,
    unready: () => {
      const state = preparation.state()
      if (state === 'migrating' || state === 'outdated') return state
      if (isDraining()) return 'draining' as const
      // Until then event streams cannot start.
      return feed.position() ? undefined : ('database' as const)
    },
    migration: preparation.progress,
    isChainUp: () => chain.isUp(),
    age: () => ({ events: feed.age(), reconciliation: reconciliation.age() }),
    readPause: createPauseReader(database),
  }
}

/** What is served beside the API: the web app with the market's look, security.txt, and what the extras add. */
export async function registerPages(fastify: FastifyInstance, limits: Record<LimitName, LimitChecks>, context: AppContext): Promise<void> {
  const { config, catalogue, database } = context
  await registerSecurityTxt(fastify, { ...config, contact: config.securityContact, policyFile: context.securityPolicyFile })
  for (const extra of extras) await extra.pages?.(fastify, limits, context)
  await registerWebApp(
    fastify,
    context.webFolder,
    context.look,
    [
      { path: `${DRINK_PATH}:id`, limit: limits.read, describe: async (code) => drinkPage(catalogue, code) },
      { path: `${LISTING_PATH}:id`, limit: limits.read, describe: (id) => readListingPage(database, id) },
      { path: `${CHECKOUT_PATH}:id`, limit: limits.read, describe: (id) => readCheckoutPage(database, catalogue, id), standsAlone: true },
    ],
    context.findCached,
  )
}

/** What every server does again and again in the background. */
export function jobsOf(context: AppContext): Job[] {
  const { purchases, caches, database } = context
  return [
    historyJob(purchases),
    fundsJob(purchases),
    outageJob(purchases),
    rollingUpJob(database),
    refreshingJob(caches.listings),
    refreshingJob(caches.figures),
    purging('sessions', 'expired nonces and sessions', () => deleteExpired(database)),
    purging('idempotency keys', 'old idempotency keys', () => deleteOldKeys(database)),
    purging('refusals', 'old refusals of payments', () => deleteOldRefusals(database)),
    ...extras.flatMap((extra) => extra.jobs?.(context) ?? []),
  ]
}

/**
 * Starts what works in the background in its own rhythm.
 * @returns the functions that stop it, in the order in which it was started
 */
export function startServices(context: AppContext): (() => unknown)[] {
  const { connection, feed, readers, reconciliation, failures } = context
  return [
    connection.watchCommits(failures),
    feed.start(),
    startAnnouncingOutages(feed, readers),
    reconciliation.start(),
    ...extras.flatMap((extra) => extra.services?.(context) ?? []),
  ]
}
