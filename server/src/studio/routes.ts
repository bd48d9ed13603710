import { type Reply } from '@juicebar/contract/calls'
import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type WalletAddress, requireWallet } from '@juicebar/contract/addresses'
import { scopes, staffScopes } from '@juicebar/contract/scopes'

import { type Catalogue } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { type Extra } from '../http/extra.ts'
import { answered, type Api } from '../http/route.ts'
import { type OrderDeps } from '../inventory/post-studio-order.ts'
import { readStudioOrder } from '../inventory/studio-order.ts'
import { listCases } from '../purchases/cases/case-store.ts'
import { type PurchaseDeps } from '../purchases/purchase/purchase-deps.ts'
import { readPurchase } from '../purchases/reply/read-purchases.ts'
import { findBlock, listRules } from '../restrictions/restriction-store.ts'
import { blockReply, draftRules, ruleReply } from '../restrictions/restriction.ts'
import { auditReply } from './audit/audit.ts'
import { purging } from '../runtime/repeat.ts'
import { auditJob, readAudit, readAudits, runAudit } from './audit/run-audits.ts'
import { closeStudioCase, releasePurchase, requestStudioAudit, startedBy } from './decide-cases.ts'
import { createKey, endKey, readKeys } from './keys/change-keys.ts'
import { readKeyWish } from './keys/studio-key.ts'
import { readLog } from './log/read-log.ts'
import { readPlayer, readStudioPurchase, readStudioPurchases } from './players/read-player.ts'
import { postOrder, postOrders } from './post-orders.ts'
import { readBlocks, readPause, recordBlock, recordPause, recordResumption, recordRules, recordUnblock } from './record-restrictions.ts'
import { type IdentityDeps, identityJob, slotJob } from './recovery/check-identity.ts'
import { acceptRecovery, recoveryJob, requestRecovery, requireRecovery } from './recovery/continue-recovery.ts'
import { readTime } from './time.ts'
import { recoveryReply } from './recovery/recovery.ts'
import { readSales, readStats } from './sales/read-sales.ts'
import { statsCsv, takesCsv } from './sales/stats.ts'
import { readAllStaff, readStaff, recordRemoval, recordStaff, requestChallenge } from './staff/check-staff.ts'
import { deleteOldChallenges } from './staff/staff-store.ts'

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
function restrictionRoutes(api: Api, database: Database, catalogue: Catalogue): void {
  api.studio('readPause', 'read', async () => ({ pause: await readPause(database) }))
  api.studio('pauseMarket', 'rules', async ({ body, actor }) => ({ pause: await recordPause(database, { message: body.message, actor }) }))
  api.studio('resumeMarket', 'rules', async ({ query: { reason }, actor }) => ({
    pause: await recordResumption(database, { reason, actor }),
  }))

  api.studio('studioBlocks', 'read', async ({ query }) => readBlocks(database, query))
  api.studio('readBlock', 'read', async ({ params }) => {
    const block = await findBlock(database, requireWallet(params.wallet))
    return { block: block ? blockReply(block) : null }
  })
  api.studio('blockWallet', 'rules', async ({ params, body, actor }) => {
    const { reason, removeListings = false } = body
    const until = readTime('until', body.until) ?? null
    return recordBlock(database, { wallet: requireWallet(params.wallet), reason, until, removeListings, actor })
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
  api.studio('studioLog', 'admin', async ({ query }) => readLog(database, query))

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
  api.studio('audits', 'read', async ({ query }) => readAudits(database, query))
  api.studio('readAudit', 'read', async ({ params }) => ({ audit: await readAudit(database, params.id) }))
  api.studio('audit', 'read', async ({ actor }) =>
    runAudit(deps, { full: false, ...startedBy(actor), signal: AbortSignal.timeout(AUDIT_MILLIS) }),
  )
}

/** Making, listing and revoking studio keys. */
function keyRoutes(api: Api, database: Database): void {
  api.studio('createStudioKey', 'admin', async ({ body, key }) => ({
    key: await createKey(database, key, readKeyWish(body), body.reason),
  }))
  api.studio('studioKeys', 'admin', async ({ query }) => readKeys(database, query))
  api.studio('revokeStudioKey', 'admin', async ({ params, query: { reason }, key }) => ({
    key: await endKey(database, { id: params.id, reason, by: key }),
  }))
}

/** Recovering, after a restore, what the database has lost and the chain still knows. */
function recoveryRoutes(api: Api, deps: PurchaseDeps): void {
  api.studio('startRecovery', 'admin', async ({ body, actor }) => {
    return { recovery: recoveryReply(await requestRecovery(deps, { since: readTime('since', body?.since), actor })) }
  })
  api.studio('readRecovery', 'read', async ({ params }) => ({ recovery: recoveryReply(await requireRecovery(deps.database, params.id)) }))
  api.studio('acceptRecovery', 'admin', async ({ params, body, actor }) => {
    return { recovery: recoveryReply(await acceptRecovery(deps.database, { id: params.id, reason: body.reason, actor })) }
  })
}

/** The settings that the desk needs. */
export interface DeskSettings {
  /** The wallets of `STUDIO_WALLETS`. */
  named: ReadonlySet<WalletAddress>
  /** The product's name and its host, for the texts that wallets sign. */
  market: string
}

/** Who may use the studio's desk, and what they sign there. */
function staffRoutes(api: Api, database: Database, { named, market }: DeskSettings): void {
  api.studio('studioMe', scopes, async ({ key }) => {
    const rights = { scopes: [...key.scopes] }
    if (key.kind !== 'staff') return { me: { wallet: null, name: key.name, ...rights } }
    const staff = await readStaff(database, key.wallet, named)
    return { me: { wallet: key.wallet, name: staff?.name ?? null, ...rights } }
  })
  api.studio('studioStaff', 'admin', async () => ({ staff: await readAllStaff(database, named) }))
  api.studio('readStaff', 'admin', async ({ params }) => ({ staff: await readStaff(database, requireWallet(params.wallet), named) }))
  api.studio('setStaff', 'admin', async ({ params, body, key }) => {
    const wish = { wallet: requireWallet(params.wallet), name: body?.name ?? null, scopes: body?.scopes ?? staffScopes }
    return { staff: await recordStaff(database, wish, { maker: key, reason: body?.reason, named }) }
  })
  api.studio('removeStaff', 'admin', async ({ params, query, key }) => {
    await recordRemoval(database, requireWallet(params.wallet), { maker: key, reason: query.reason, named })
    return { staff: null }
  })
  api.studio('requestChallenge', scopes, async ({ body, key }) => ({
    challenge: await requestChallenge(database, market, { key, asked: body }),
  }))
}

/** The studio's API and desk, with the audits and what a restored database needs. */
export const studio: Extra<{ purchases: PurchaseDeps; desk: DeskSettings; catalogue: Catalogue; identity: IdentityDeps }> = {
  calls: (api, { purchases, desk, catalogue }) => {
    studioRoutes(api, purchases, desk)
    restrictionRoutes(api, purchases.database, catalogue)
  },
  jobs: ({ purchases, identity }) => [
    auditJob(purchases),
    recoveryJob(purchases),
    slotJob(purchases),
    identityJob(identity),
    purging('challenges', 'old challenges of the desk', () => deleteOldChallenges(purchases.database)),
  ],
}
