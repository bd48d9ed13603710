import type pg from 'pg'

import { cachedReplyControl, type CachedReply, isNotModified, versionHeaders } from '../http/server/cached-replies.ts'
import { type Api, answered, type Call } from '../http/api/route.ts'
import { formatCursor, type MarketQuery, readMarketQuery } from './market-query.ts'
import { readMarketPage } from './market-store.ts'
import { isCacheable, type PageCache } from './page-cache.ts'

/** The listings for sale. First pages come from memory and carry an entity tag. */
export function marketRoutes(api: Api, pool: pg.Pool, pageCache: PageCache): void {
  api.open('listings', 'read', async (call): Promise<typeof answered> => {
    const query = readMarketQuery(call.query)
    const render = () => renderPage(pool, query)
    if (isCacheable(query)) return sendTagged(call, await pageCache.get(call.request.url, render))
    return await call.sendPublicJson(await render())
  })
}

async function renderPage(pool: pg.Pool, query: MarketQuery): Promise<string> {
  const { listings, next } = await readMarketPage(pool, query)
  return `{"listings":[${listings}],"nextCursor":${next ? JSON.stringify(formatCursor(query.sort, next)) : 'null'}}`
}

async function sendTagged({ request, reply, sendPublicJson }: Call<'listings'>, page: CachedReply): Promise<typeof answered> {
  reply.headers(versionHeaders(page)).header('cache-control', cachedReplyControl)
  if (!isNotModified(page, request.headers['if-none-match'])) return await sendPublicJson(page.json, page.gzipped)
  reply.code(304).send()
  return answered
}
