import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Database } from '../../database/connect.ts'
import { type Config } from '../../config.ts'
import { type Extra } from '../../http/extra.ts'
import { type Api } from '../../http/route.ts'
import { checkoutReply, draftCheckout, playerCheckoutReply } from '../../checkouts/checkout.ts'
import { deleteOldCheckouts } from '../../checkouts/checkout-store.ts'
import { expiryJob, openCheckout } from '../../checkouts/open-checkout.ts'
import { purging } from '../../runtime/repeat.ts'
import { createCheckout, endCheckout, readAttempts, readCheckouts, requireCheckout } from './change-checkouts.ts'

interface CheckoutSettings {
  catalogue: Catalogue
  /** Where players may return to. */
  origins: readonly string[]
  /** Where this market is. */
  publicOrigin: string
}

/** What a game sells from its own screens: its server makes checkouts, players open them. Paying is in `purchases/`. */
function checkoutRoutes(api: Api, database: Database, { catalogue, origins, publicOrigin }: CheckoutSettings): void {
  api.studio('createCheckout', 'checkout', async ({ body, key }) => {
    const draft = draftCheckout(body, { catalogue, origins })
    const checkout = await createCheckout(database, draft, { key, idempotencyKey: body.idempotencyKey })
    return { checkout: checkoutReply(checkout, publicOrigin) }
  })
  api.studio('studioCheckouts', ['checkout', 'read'], async ({ query }) => readCheckouts(database, query, publicOrigin))
  api.studio('studioCheckout', ['checkout', 'read'], async ({ params }) => ({
    checkout: checkoutReply(await requireCheckout(database, params.id), publicOrigin),
  }))
  api.studio('expireCheckout', 'checkout', async ({ params, query: { reason }, actor }) => ({
    checkout: checkoutReply(await endCheckout(database, { id: params.id, reason, actor }), publicOrigin),
  }))
  api.studio('checkoutAttempts', ['checkout', 'read'], async ({ params }) => readAttempts(database, params.id))

  api.open('checkout', 'read', async ({ params }) => ({
    checkout: playerCheckoutReply(await openCheckout(database, params.publicId), catalogue),
  }))
}

/** A game's own shop sells what the market has. The page of a checkout is among those of the web app. */
export const checkouts: Extra<{ database: Database; catalogue: Catalogue; config: Pick<Config, 'checkoutOrigins' | 'publicOrigin'> }> = {
  calls: (api, { database, catalogue, config }) =>
    checkoutRoutes(api, database, { catalogue, origins: config.checkoutOrigins, publicOrigin: config.publicOrigin }),
  jobs: ({ database }) => [
    expiryJob(database),
    purging('checkouts', 'checkouts that expired long ago', () => deleteOldCheckouts(database)),
  ],
}
