import { CHECKOUT_PATH, DRINK_PATH, LISTING_PATH } from '@juicebar/contract/market-settings'
import { type FastifyInstance } from 'fastify'
import { pushContact } from '../alerts/push.ts'
import { alertRoutes } from '../alerts/routes.ts'
import { startAlerts } from '../alerts/run-alerts.ts'
import { startPushes } from '../alerts/run-alerts.ts'
import { type AppContext } from './context.ts'
import { houseBrand } from '../brand/brand.ts'
import { marketLook } from '../brand/market-look.ts'
import { drinkPage } from '../catalogue/catalogue.ts'
import { deleteOldCheckouts } from '../checkouts/checkout-store.ts'
import { expiryJob, readCheckoutPage } from '../checkouts/open-checkout.ts'
import { phoneOrigin, publicConfig } from '../config.ts'
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
import { figureRoutes, marketRoutes, profitRoutes } from '../market/routes.ts'
import { refreshingJob } from '../market/send-page.ts'
import { createPoster } from '../outgoing/post-message.ts'
import { deleteOldRefusals } from '../purchases/co-signed/co-signed-store.ts'
import { fundsJob, outageJob } from '../purchases/hold/check-funds.ts'
import { preparePayment, requirePayLink } from '../purchases/pay-link/make-pay-link.ts'
import { deleteOldPayLinks } from '../purchases/pay-link/pay-link-store.ts'
import { registerPaymentRequests } from '../purchases/pay-link/solana-pay-routes.ts'
import { historyJob } from '../purchases/reconciliation/search-histories.ts'
import { payLinkRoutes, purchaseRoutes } from '../purchases/routes.ts'
import { startAnnouncingOutages } from '../realtime/broadcast-events.ts'
import { realtimeRoutes } from '../realtime/routes.ts'
import { checkSignIn, createPauseReader, readOwnBlock } from '../restrictions/check-restrictions.ts'
import { type Job, purging } from '../runtime/repeat.ts'
import { signInRoutes } from '../sign-in/routes.ts'
import { createLoginText } from '../sign-in/session-jwt.ts'
import { deleteExpired } from '../sign-in/sign-in-store.ts'
import { auditJob } from '../studio/audit/run-audits.ts'
import { checkoutRoutes } from '../studio/checkouts/routes.ts'
import { identityJob, slotJob } from '../studio/recovery/check-identity.ts'
import { recoveryJob } from '../studio/recovery/continue-recovery.ts'
import { restrictionRoutes, studioRoutes } from '../studio/routes.ts'
import { stampingJob } from '../studio/sales/read-sales.ts'
import { deleteOldChallenges } from '../studio/staff/staff-store.ts'
import { webhookRoutes } from '../studio/webhooks/routes.ts'
import { startWebhooks } from '../studio/webhooks/run-webhooks.ts'

/** Whether the database takes writes, and why calls must not be sent here although it may. */
export interface Readiness {
  probeDatabase: () => Promise<void>
  isDraining: () => boolean
}

/** The calls of every feature. */
export function registerCalls(api: Api, context: AppContext, readiness: Readiness): void {
  const { config, connection, database, catalogue, chain, purchases, caches, desk, feed, readers, failures } = context
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
  profitRoutes(api, connection)
  purchaseRoutes(api, purchases, hashNetwork)
  payLinkRoutes(api, purchases, { publicOrigin: phoneOrigin(config), hashNetwork, authenticate })
  checkoutRoutes(api, database, { catalogue, origins: config.checkoutOrigins, publicOrigin: config.publicOrigin })
  studioRoutes(api, purchases, desk)
  webhookRoutes(api, purchases, { allowPrivate: config.webhookAllowPrivate })
  restrictionRoutes(api, database, catalogue)
  alertRoutes(api, database, catalogue)
  realtimeRoutes(api, { database, feed, readers, failures }, authenticate)
  relayRoutes(api, context.relay)
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

/** What is served beside the API: the web app with the market's look, security.txt, and the replies to wallets that open a payment link. */
export async function registerPages(fastify: FastifyInstance, limits: Record<LimitName, LimitChecks>, context: AppContext): Promise<void> {
  const { config, catalogue, database, purchases } = context
  await registerSecurityTxt(fastify, { ...config, contact: config.securityContact, policyFile: context.securityPolicyFile })
  const look = marketLook(config, context.brand ?? houseBrand, catalogue)
  const payee = { label: look.head.settings.title, icon: new URL(look.head.settings.logo, config.publicOrigin).href }
  await registerPaymentRequests(fastify, limits['pay-link'], {
    describe: (token) => requirePayLink(database, token).then(() => payee),
    prepare: (token, account) => preparePayment(purchases, token, account),
  })
  await registerWebApp(
    fastify,
    context.webFolder,
    look,
    [
      { path: `${DRINK_PATH}:id`, limit: limits.read, describe: async (code) => drinkPage(catalogue, code) },
      { path: `${LISTING_PATH}:id`, limit: limits.read, describe: (id) => readListingPage(database, id) },
      { path: `${CHECKOUT_PATH}:id`, limit: limits.read, describe: (id) => readCheckoutPage(database, catalogue, id), standsAlone: true },
    ],
    context.findCached,
  )
}

/** What every server does again and again in the background. */
export function jobsOf({ purchases, identity, caches, database }: AppContext): Job[] {
  return [
    historyJob(purchases),
    fundsJob(purchases),
    outageJob(purchases),
    auditJob(purchases),
    recoveryJob(purchases),
    slotJob(purchases),
    identityJob(identity),
    stampingJob(database),
    expiryJob(database),
    rollingUpJob(database),
    refreshingJob(caches.listings),
    refreshingJob(caches.figures),
    purging('sessions', 'expired nonces and sessions', () => deleteExpired(database)),
    purging('challenges', 'old challenges of the desk', () => deleteOldChallenges(database)),
    purging('idempotency keys', 'old idempotency keys', () => deleteOldKeys(database)),
    purging('refusals', 'old refusals of payments', () => deleteOldRefusals(database)),
    purging('checkouts', 'checkouts that expired long ago', () => deleteOldCheckouts(database)),
    purging('payment links', 'old payment links', () => deleteOldPayLinks(database)),
  ]
}

/**
 * Starts what works in the background in its own rhythm.
 * @returns the functions that stop it, in the order in which it was started
 */
export function startServices(context: AppContext): (() => unknown)[] {
  const { config, connection, database, catalogue, feed, readers, reconciliation, purchases, metrics, log, failures } = context
  return [
    connection.watchCommits(failures),
    feed.start(),
    startAnnouncingOutages(feed, readers),
    reconciliation.start(),
    startWebhooks({
      ...purchases,
      publicOrigin: config.publicOrigin,
      poster: createPoster({ allowPrivate: config.webhookAllowPrivate }),
      onAttempt: metrics?.counts.webhookAttempt,
    }),
    startAlerts({ database, feed, failures }),
    startPushes({ database, catalogue, log, failures, contact: pushContact(config), poster: createPoster({ allowPrivate: false }) }),
  ]
}
