import { LISTINGS_PAGE } from '@juicebar/contract/limits'

import { type Catalogue, requireTokenType } from '../../catalogue/catalogue.ts'
import { type answered, type Api } from '../../http/api/route.ts'
import { type PageCaches } from '../page-cache.ts'
import { type FirstPages } from '../read-first-page.ts'
import { sendPage } from '../send-page.ts'
import { isOfWholeSteps, readCandleQuery } from './candle.ts'
import { type Figures } from './create-figures.ts'
import { parseTradeCursor } from './trade.ts'

interface FigureDeps {
  catalogue: Catalogue
  figures: Figures
  caches: Pick<PageCaches, 'figures' | 'depths'>
  probeDatabase: FirstPages['probeDatabase']
}

/** What the market traded and offers, from memory except for later pages of trades. While the database is down, there is no depth. */
export function figureRoutes(api: Api, { catalogue, figures, caches, probeDatabase }: FigureDeps): void {
  const history = { pageCache: caches.figures, probeDatabase }
  const depths = { pageCache: caches.depths, probeDatabase }

  api.open('trades', 'read', async (call): Promise<typeof answered> => {
    const { tokenType, limit = LISTINGS_PAGE, cursor } = call.query
    const after = cursor === undefined || cursor === '' ? undefined : parseTradeCursor(cursor)
    const query = { tokenType: tokenType ? requireTokenType(catalogue, tokenType) : undefined, limit, after }
    const render = () => figures.trades(query)
    if (after || limit > LISTINGS_PAGE) return await call.sendPublicJson(await render())
    return await sendPage(call, history, { render })
  })

  api.open('candles', 'read', async (call): Promise<typeof answered> => {
    const query = readCandleQuery(call.query, catalogue, new Date())
    if (!isOfWholeSteps(call.query)) return await call.sendPublicJson(await figures.candles(query))
    return await sendPage(call, history, { render: () => figures.candles(readCandleQuery(call.query, catalogue, new Date())) })
  })

  api.open('depth', 'read', async (call): Promise<typeof answered> => {
    const tokenType = requireTokenType(catalogue, call.query.tokenType)
    return await sendPage(call, depths, { render: () => figures.depth(tokenType), copies: false })
  })

  api.open('summary', 'read', (call) => sendPage(call, history, { render: figures.summary }))
}
