import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { answered, type Api } from '../http/api/route.ts'
import { listCases } from '../purchases/cases/case-reply-store.ts'
import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { readPurchase } from '../purchases/read-purchases.ts'
import { closeStudioCase } from './close-studio-case.ts'
import { keyRoutes } from './keys/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { readLog } from './read-log.ts'
import { requestStudioAudit } from './request-studio-audit.ts'
import { releasePurchase } from './release-purchase.ts'
import { auditReply } from './audit/audit.ts'
import { recoveryRoutes } from './recovery/routes.ts'
import { readAudit, readAudits } from './audit/read-audit.ts'
import { runAudit } from './audit/run-audit.ts'
import { readPlayer } from './players/read-player.ts'
import { readStudioPurchase, readStudioPurchases } from './purchases/read-studio-purchases.ts'
import { readSales } from './sales/read-sales.ts'
import { type DeskSettings, staffRoutes } from './staff/routes.ts'
import { readStats } from './stats/read-stats.ts'
import { statsCsv, takesCsv } from './stats/stats.ts'
import { requireWallet } from './wallet.ts'

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
