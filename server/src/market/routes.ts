import { LISTINGS_PAGE } from '@juicebar/contract/limits'
import { type Catalogue, requireTokenType } from '../catalogue/catalogue.ts'
import { type DatabaseConnection, type Reads } from '../database/connect.ts'
import { type Extra } from '../http/extra.ts'
import { type answered, type Api } from '../http/route.ts'
import { formatCursor, type MarketQuery, readMarketQuery } from './market-query.ts'
import { readMarketPage } from './market-store.ts'
import { isCacheable, type PageCaches } from './page-cache.ts'
import { readQuoteOrder } from './quote.ts'
import { type FirstPages, sendPage } from './send-page.ts'
import { type QuoteDeps, readQuote } from './read-quote.ts'
import { isOfWholeSteps, readCandleQuery, parseTradeCursor } from './figures.ts'
import { type Figures } from './create-figures.ts'
import { stampSales } from './figure-store.ts'
import { readEntries } from './profit-store.ts'
import { entryCursor, entryReply, parseEntryCursor } from './profit.ts'
import { createProfits } from './read-profit.ts'

/**
 * The listings for sale, and quotes, which are always read from the primary. First pages come from memory and carry an entity tag, or their
 * age while the database is down; others may come from a replica.
 */
export function marketRoutes(
  api: Api,
  { readPool, replica }: Pick<DatabaseConnection, 'readPool' | 'replica'>,
  firstPages: FirstPages,
  { catalogue, ...quotes }: Omit<QuoteDeps, 'reads'> & { catalogue: Catalogue },
): void {
  api.open('listings', 'read', async (call): Promise<typeof answered> => {
    const query = readMarketQuery(call.query, catalogue)
    if (!isCacheable(query)) return await call.sendPublicJson(await renderPage(replica, query))
    return await sendPage(call, firstPages, { render: () => renderPage(readPool, query) })
  })

  api.open('quote', 'read', async ({ query }) => readQuote({ ...quotes, reads: readPool }, readQuoteOrder(query, catalogue)))
}

async function renderPage(reads: Reads, query: MarketQuery): Promise<string> {
  const { listings, next } = await readMarketPage(reads, query)
  return `{"listings":[${listings}],"nextCursor":${next ? JSON.stringify(formatCursor(query.sort, next)) : 'null'}}`
}

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

/** What a player bought, sold, received and used, and what that earned. */
function profitRoutes(api: Api, connection: Pick<DatabaseConnection, 'database' | 'readPool'>): void {
  const readProfit = createProfits(connection)

  api.player('profit', 'read', ({ player }) => readProfit(player))

  api.player('myLedger', 'read', async ({ query: { cursor, limit = LISTINGS_PAGE }, player }) => {
    const after = cursor ? parseEntryCursor(cursor) : undefined
    await stampSales(connection.database)
    const { entries, next } = await readEntries(connection.readPool, { wallet: player, limit, after })
    return { entries: entries.map(entryReply), nextCursor: next ? entryCursor(next) : null }
  })
}

/** Players' own books. */
export const profit: Extra<{ connection: Pick<DatabaseConnection, 'database' | 'readPool'> }> = {
  calls: (api, { connection }) => profitRoutes(api, connection),
}
