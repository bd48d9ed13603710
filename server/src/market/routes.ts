import { type DatabaseConnection, type Reads } from '../database/connect.ts'
import { cachedReplyControl, type CachedReply, isNotModified, versionHeaders } from '../http/server/cached-replies.ts'
import { type Api, answered, type Call } from '../http/api/route.ts'
import { formatCursor, type MarketQuery, readMarketQuery } from './market-query.ts'
import { readMarketPage } from './market-store.ts'
import { isCacheable, type PageCopy } from './page-cache.ts'
import { readQuoteOrder } from './quote.ts'
import { type FirstPages, readFirstPage } from './read-first-page.ts'
import { type QuoteDeps, readQuote } from './read-quote.ts'

/**
 * The listings for sale, and quotes, which are always read from the primary. First pages come from memory and carry an entity tag, or their age while the database is away; others may come
 * from a replica.
 */
export function marketRoutes(
  api: Api,
  { readPool, replica }: Pick<DatabaseConnection, 'readPool' | 'replica'>,
  firstPages: FirstPages,
  quotes: Omit<QuoteDeps, 'reads'>,
): void {
  api.open('listings', 'read', async (call): Promise<typeof answered> => {
    const query = readMarketQuery(call.query)
    if (!isCacheable(query)) return await call.sendPublicJson(await renderPage(replica, query))
    const { url, headers } = call.request
    const render = () => renderPage(readPool, query)
    const { page, copy } = await readFirstPage(firstPages, { url, render, takesCopy: headers.authorization === undefined })
    return copy ? sendCopy(call, copy) : sendTagged(call, page)
  })

  api.open('quote', 'read', async ({ query }) => readQuote({ ...quotes, reads: readPool }, readQuoteOrder(query)))
}

async function renderPage(reads: Reads, query: MarketQuery): Promise<string> {
  const { listings, next } = await readMarketPage(reads, query)
  return `{"listings":[${listings}],"nextCursor":${next ? JSON.stringify(formatCursor(query.sort, next)) : 'null'}}`
}

async function sendTagged({ request, reply, sendPublicJson }: Call<'listings'>, page: CachedReply): Promise<typeof answered> {
  reply.headers(versionHeaders(page)).header('cache-control', cachedReplyControl)
  if (!isNotModified(page, request.headers['if-none-match'])) return await sendPublicJson(page.json, page.gzipped)
  reply.code(304).send()
  return answered
}

/** Without an entity tag: nobody is to keep a copy. */
async function sendCopy({ reply, sendPublicJson }: Call<'listings'>, { page, ageSeconds }: PageCopy): Promise<typeof answered> {
  const { 'last-event-id': lastEventId } = versionHeaders(page)
  reply.headers({ age: String(ageSeconds), ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) })
  return await sendPublicJson(page.json, page.gzipped)
}
