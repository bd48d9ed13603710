import { type Reply } from '@juicebar/contract/calls'

import { type Catalogue } from '../../catalogue/catalogue.ts'
import { type Api } from '../../http/api/route.ts'
import { type OrderDeps } from '../../inventory/post-studio-order.ts'
import { readStudioOrder } from '../../inventory/studio-order.ts'
import { postOrder, postOrders } from './post-orders.ts'

/** Credits and debits, one or many at a time. */
export function orderRoutes(api: Api, deps: OrderDeps & { catalogue: Catalogue }): void {
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
