import { type Reply } from '@juicebar/contract/calls'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Api, answered } from '../http/route.ts'
import { type OrderDeps } from '../inventory/post-studio-order.ts'
import { readStudioOrder } from '../inventory/studio-order.ts'
import { postOrder, postOrders } from './post-orders.ts'
import { type Database } from '../database/connect.ts'
import { blockReply, readUntil, draftRules, ruleReply } from '../restrictions/restriction.ts'
import { findBlock, listRules } from '../restrictions/restriction-store.ts'
import { readBlocks, recordBlock, recordUnblock, readPause, recordPause, recordResumption, recordRules } from './record-restrictions.ts'
import { requireWallet } from './log/studio-log-store.ts'
import { listCases } from '../purchases/cases/case-store.ts'
import { type PurchaseDeps } from '../purchases/purchase/purchase-deps.ts'
import { readPurchase } from '../purchases/reply/read-purchases.ts'
import { closeStudioCase, requestStudioAudit, releasePurchase } from './decide-cases.ts'
import { keyRoutes } from './keys/routes.ts'
import { readLog } from './log/read-log.ts'
import { auditReply } from './audit/audit.ts'
import { recoveryRoutes } from './recovery/routes.ts'
import { readAudit, readAudits, runAudit } from './audit/run-audits.ts'
import { readPlayer, readStudioPurchase, readStudioPurchases } from './players/read-player.ts'
import { readSales, readStats } from './sales/read-sales.ts'
import { type DeskSettings, staffRoutes } from './staff/routes.ts'
import { statsCsv, takesCsv } from './sales/stats.ts'

/** Credits and debits, one or many at a time. */
function orderRoutes(api: Api, deps: OrderDeps & { catalogue: Catalogue }): void {
  api.studio('studioCredit', 'credit', async ({ body, key }) => {
    const { balance, ...credit } = await postOrder(deps, key, readStudioOrder('credit', body, deps.catalogue))
    return { credit, balance }
  })
  api.studio('studioDebit', 'debit', async ({ body, key }) => {
    const { balance, ...debit } = await postOrder(deps, key, readStudioOrder('debit', body, deps.catalogue))
    return { debit, balance }
  })
  api.studio('studioOrders', ['credit', 'debit'], async ({ body, key, sendJson }) => {
    // Checking which of two schemas each of 500 results matches takes longer than writing them.
    const reply: Reply<'studioOrders'> = { results: await postOrders(deps, key, body.orders) }
    return sendJson(JSON.stringify(reply))
  })
}

/** What the studio restricts: a pause of the market, blocked wallets, rules of the drinks. */
export function restrictionRoutes(api: Api, database: Database, catalogue: Catalogue): void {
  api.studio('readPause', 'read', async () => ({ pause: await readPause(database) }))
  api.studio('pauseMarket', 'rules', async ({ body, actor }) => ({ pause: await recordPause(database, { message: body.message, actor }) }))
  api.studio('resumeMarket', 'rules', async ({ query: { reason }, actor }) => ({
    pause: await recordResumption(database, { reason, actor }),
  }))

  api.studio('studioBlocks', 'read', async ({ query }) =>
    readBlocks(database, { cursor: query.cursor, limit: query.limit ?? LISTINGS_PAGE }),
  )
  api.studio('readBlock', 'read', async ({ params }) => {
    const block = await findBlock(database, requireWallet(params.wallet))
    return { block: block ? blockReply(block) : null }
  })
  api.studio('blockWallet', 'rules', async ({ params, body, actor }) => {
    const { reason, removeListings = false } = body
    return recordBlock(database, { wallet: requireWallet(params.wallet), reason, until: readUntil(body.until), removeListings, actor })
  })
  api.studio('unblockWallet', 'rules', async ({ params, query: { reason }, actor }) => {
    await recordUnblock(database, { wallet: requireWallet(params.wallet), reason, actor })
    return { block: null }
  })

  api.studio('readRules', 'read', async () => ({ rules: (await listRules(database)).map(ruleReply) }))
  api.studio('setRules', 'rules', async ({ body, actor }) => {
    const rules = draftRules(body.rules, catalogue)
    const recorded = await recordRules(database, { rules, catalogue, reason: body.reason, actor })
    return { rules: recorded.map(ruleReply) }
  })
}

/** No client waits longer than this for a reply. */
const AUDIT_MILLIS = 45_000

/** The calls of the game studio with its API key, or of its staff at the desk: credits and debits, cases, releases, the audit. */
export function studioRoutes(api: Api, deps: PurchaseDeps, desk: DeskSettings): void {
  const { database, catalogue } = deps

  orderRoutes(api, deps)
  keyRoutes(api, database)
  staffRoutes(api, database, desk)
  recoveryRoutes(api, deps)
  api.studio('studioLog', 'admin', async ({ query }) => readLog(database, { cursor: query.cursor, limit: query.limit ?? LISTINGS_PAGE }))

  api.studio('studioCases', 'read', async ({ query }) => {
    const { wallet, status = 'open', limit = LISTINGS_PAGE, cursor } = query
    const ofWallet = wallet === undefined ? {} : { wallet: requireWallet(wallet) }
    return listCases(deps, { limit, cursor, ...ofWallet, ...(status === 'all' ? {} : { status }) })
  })
  api.studio('closeCase', 'cases', async ({ body, actor }) => ({ case: await closeStudioCase(deps, { ...body, actor }) }))

  api.studio('studioSales', 'read', async ({ query }) => readSales(database, query))
  api.studio('studioPlayer', 'read', async ({ params }) => ({ player: await readPlayer(database, params.walletAddress, catalogue) }))
  api.studio('studioPurchases', 'read', async ({ query }) => readStudioPurchases(deps, query))
  api.studio('studioPurchase', 'read', async ({ params }) => ({ purchase: await readStudioPurchase(deps, params.id) }))
  api.studio('studioStats', 'read', async ({ query, request, reply }) => {
    const stats = await readStats(database, query)
    reply.header('vary', 'Accept')
    if (!takesCsv(request.headers.accept)) return { stats }
    reply.type('text/csv; charset=utf-8').send(statsCsv(stats, query.group ?? 'day'))
    return answered
  })
  api.studio('releasePurchase', 'cases', async ({ params, body, actor }) => {
    await releasePurchase(deps, { purchaseId: params.id, reason: body.reason, actor })
    return { purchase: await readPurchase(deps, params.id) }
  })

  api.studio('startAudit', 'read', async ({ body, actor }) => {
    return { audit: auditReply(await requestStudioAudit(database, { full: body?.full ?? false, reason: body?.reason, actor })) }
  })
  api.studio('audits', 'read', async ({ query }) => readAudits(database, { cursor: query.cursor, limit: query.limit ?? LISTINGS_PAGE }))
  api.studio('readAudit', 'read', async ({ params }) => ({ audit: await readAudit(database, params.id) }))
  api.studio('audit', 'read', async ({ actor }) =>
    runAudit(deps, { full: false, startedBy: actor, signal: AbortSignal.timeout(AUDIT_MILLIS) }),
  )
}
