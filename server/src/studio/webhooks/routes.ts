import { type Config } from '../../config.ts'
import { type Extra } from '../../http/extra.ts'
import { type Api } from '../../http/route.ts'
import { createPoster } from '../../outgoing/post-message.ts'
import { type PurchaseDeps } from '../../purchases/purchase/purchase-deps.ts'
import {
  changeWebhook,
  deleteWebhook,
  replayMessages,
  rotateSecret,
  createWebhook,
  readDeliveries,
  readWebhooks,
} from './change-webhooks.ts'
import { startWebhooks, type WebhookDeps } from './run-webhooks.ts'

/** The studio's webhooks. */
function webhookRoutes(api: Api, { database }: Pick<PurchaseDeps, 'database'>, { allowPrivate }: { allowPrivate: boolean }): void {
  api.studio('createWebhook', 'admin', async ({ body, actor }) => ({
    webhook: await createWebhook(database, { ...body, allowPrivate, actor }),
  }))
  api.studio('webhooks', 'admin', async ({ query }) => readWebhooks(database, query))
  api.studio('changeWebhook', 'admin', async ({ params, body, actor }) => ({
    webhook: await changeWebhook(database, { id: params.id, actor, reason: body.reason }, body.enabled),
  }))
  api.studio('deleteWebhook', 'admin', async ({ params, query, actor }) => ({
    webhook: await deleteWebhook(database, { id: params.id, actor, reason: query.reason }),
  }))
  api.studio('rotateWebhook', 'admin', async ({ params, query, actor }) => ({
    webhook: await rotateSecret(database, { id: params.id, actor, reason: query.reason }),
  }))
  api.studio('webhookDeliveries', 'admin', async ({ params, query }) => readDeliveries(database, params.id, query))
  api.studio('replayWebhook', 'admin', async ({ params, body, actor }) => ({
    webhook: await replayMessages(database, { id: params.id, actor, reason: body.reason }, body.after),
  }))
}

interface WebhookNeeds {
  purchases: PurchaseDeps
  config: Pick<Config, 'publicOrigin' | 'webhookAllowPrivate'>
  metrics: { counts: { webhookAttempt: WebhookDeps['onAttempt'] } } | undefined
}

/** A studio's servers hear of what happens in the market. */
export const webhooks: Extra<WebhookNeeds> = {
  calls: (api, { purchases, config }) => webhookRoutes(api, purchases, { allowPrivate: config.webhookAllowPrivate }),
  services: ({ purchases, config, metrics }) => [
    startWebhooks({
      ...purchases,
      publicOrigin: config.publicOrigin,
      poster: createPoster({ allowPrivate: config.webhookAllowPrivate }),
      onAttempt: metrics?.counts.webhookAttempt,
    }),
  ],
}
