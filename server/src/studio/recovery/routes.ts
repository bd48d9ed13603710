import { type Api } from '../../http/route.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import { readTime, recoveryReply } from './recovery.ts'
import { acceptRecovery, requestRecovery, requireRecovery } from './continue-recovery.ts'

/** Recovering, after a restore, what the database has lost and the chain still knows. */
export function recoveryRoutes(api: Api, deps: PurchaseDeps): void {
  api.studio('startRecovery', 'admin', async ({ body, actor }) => {
    return { recovery: recoveryReply(await requestRecovery(deps, { since: readTime(body?.since), actor })) }
  })
  api.studio('readRecovery', 'read', async ({ params }) => ({ recovery: recoveryReply(await requireRecovery(deps.database, params.id)) }))
  api.studio('acceptRecovery', 'admin', async ({ params, body, actor }) => {
    return { recovery: recoveryReply(await acceptRecovery(deps.database, { id: params.id, reason: body.reason, actor })) }
  })
}
