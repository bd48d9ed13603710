import { Failure } from '@juicebar/contract/errors'
import { isId } from '@juicebar/contract/ids'
import { type Catalogue, requireTokenType } from '../catalogue/catalogue.ts'
import { type Database } from '../database/connect.ts'
import { type Config } from '../config.ts'
import { type Extra } from '../http/extra.ts'
import { type Api } from '../http/route.ts'
import { createPoster } from '../outgoing/post-message.ts'
import { requireUnblocked } from '../restrictions/check-restrictions.ts'
import { readAlertPrice } from './alert.ts'
import { deleteAlert, listAlerts } from './alert-store.ts'
import { createAlert, createPushKeys, recordSubscription } from './record-alert.ts'
import { pushContact, readSubscription } from './push.ts'
import { type AlertDeps, type PushDeps, startAlerts, startPushes } from './run-alerts.ts'
import { deleteSubscription, findEndpoint } from './push-store.ts'

/** Players' alerts, and the browsers that show them. */
function alertRoutes(api: Api, database: Database, catalogue: Pick<Catalogue, 'find'>): void {
  api.player('createAlert', 'write', async ({ body, player }) => {
    const terms = { tokenType: requireTokenType(catalogue, body.tokenType), below: readAlertPrice(body.below) }
    await requireUnblocked(database, player)
    return { alert: await createAlert(database, player, terms) }
  })
  api.player('alerts', 'read', async ({ player }) => ({ alerts: await listAlerts(database, player) }))
  api.player('deleteAlert', 'write', async ({ params, player }) => {
    const alert = isId(params.id) ? await deleteAlert(database, player, params.id) : undefined
    if (!alert) throw new Failure('ALERT_NOT_FOUND')
    return { alert }
  })

  api.player('push', 'read', async ({ session }) => {
    const [{ publicKey }, endpoint] = await Promise.all([createPushKeys(database), findEndpoint(database, session.id)])
    return { publicKey, endpoint: endpoint ?? null }
  })
  api.player('subscribePush', 'write', async ({ body, session }) => {
    await recordSubscription(database, session, readSubscription(body))
    return null
  })
  api.player('unsubscribePush', 'write', async ({ session }) => {
    await deleteSubscription(database, session.id)
    return null
  })
}

/** Players are told, also while the page is closed, when an item is for sale at their price, and when they have sold something. */
export const alerts: Extra<AlertDeps & Omit<PushDeps, 'contact' | 'poster'> & { catalogue: Catalogue; config: Config }> = {
  calls: (api, { database, catalogue }) => alertRoutes(api, database, catalogue),
  services: (context) => [
    startAlerts(context),
    startPushes({ ...context, contact: pushContact(context.config), poster: createPoster({ allowPrivate: false }) }),
  ],
}
