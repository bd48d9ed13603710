import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type Api } from '../http/api/route.ts'
import { postStudioOrder } from '../inventory/post-studio-order.ts'
import { readStudioOrder } from '../inventory/studio-order.ts'
import { listCases } from '../purchases/cases/case-reply-store.ts'
import { closeCase } from '../purchases/cases/close-case.ts'
import { type PurchaseDeps } from '../purchases/purchase-deps.ts'
import { readPurchase, readPurchases } from '../purchases/read-purchases.ts'
import { releasePurchase } from './release-purchase.ts'
import { auditReply } from './audit/audit.ts'
import { readAudit } from './audit/read-audit.ts'
import { requestAudit } from './audit/request-audit.ts'
import { runAudit } from './audit/run-audit.ts'

/** Longer than this nobody waits for a reply. */
const AUDIT_MILLIS = 45_000

/** What the game studio does with its API key: credits and debits, cases, releases, the audit. */
export function studioRoutes(api: Api, deps: PurchaseDeps): void {
  const { database } = deps

  api.studio('studioCredit', 'credit', async ({ body }) => ({ credit: await postStudioOrder(deps, readStudioOrder('credit', body)) }))
  api.studio('studioDebit', 'debit', async ({ body }) => ({ debit: await postStudioOrder(deps, readStudioOrder('debit', body)) }))

  api.studio('studioCases', 'read', async ({ query }) => {
    const { status = 'open', limit = LISTINGS_PAGE, cursor } = query
    return listCases(database, { limit, cursor, ...(status === 'all' ? {} : { status }) })
  })
  api.studio('closeCase', 'cases', async ({ body }) => ({ case: await closeCase(deps, body.caseId, body.note) }))

  api.studio('studioPurchases', 'read', async ({ query }) => readPurchases(deps, query))
  api.studio('releasePurchase', 'cases', async ({ params, body, actor }) => {
    await releasePurchase(deps, { purchaseId: params.id, reason: body.reason, actor })
    return { purchase: await readPurchase(deps, params.id) }
  })

  api.studio('startAudit', 'read', async ({ body }) => {
    return { audit: auditReply(await requestAudit(database, { full: body?.full ?? false })) }
  })
  api.studio('readAudit', 'read', async ({ params }) => ({ audit: await readAudit(database, params.id) }))
  api.studio('audit', 'read', async () => runAudit(deps, { full: false, signal: AbortSignal.timeout(AUDIT_MILLIS) }))
}
