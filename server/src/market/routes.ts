import { type Catalogue } from '../catalogue/catalogue.ts'
import { type DatabaseConnection, type Reads } from '../database/connect.ts'
import { type answered, type Api } from '../http/api/route.ts'
import { formatCursor, type MarketQuery, readMarketQuery } from './market-query.ts'
import { readMarketPage } from './market-store.ts'
import { isCacheable } from './page-cache.ts'
import { readQuoteOrder } from './quote.ts'
import { type FirstPages } from './read-first-page.ts'
import { type QuoteDeps, readQuote } from './read-quote.ts'
import { sendPage } from './send-page.ts'

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
