import type pg from 'pg'

import { cachedReplyControl, type CachedReply, isNotModified } from '../http/server/cached-replies.ts'
import { type Api, answered, type Call } from '../http/api/route.ts'
import { formatCursor, type MarketQuery, readMarketQuery } from './market-query.ts'
import { readMarketPage } from './market-store.ts'
import { isCacheable, type PageCache } from './page-cache.ts'

/** The listings for sale. First pages come from memory and carry an entity tag. */
export function marketRoutes(api: Api, pool: pg.Pool, pageCache: PageCache): void {
  api.open('listings', 'read', async (call): Promise<typeof answered> => {
    const query = readMarketQuery(call.query)
    const render = () => renderPage(pool, query)
    return isCacheable(query) ? sendTagged(call, await pageCache.get(call.request.url, render)) : call.sendJson(await render())
  })
}

async function renderPage(pool: pg.Pool, query: MarketQuery): Promise<string> {
  const { listings, next } = await readMarketPage(pool, query)
  return `{"listings":[${listings}],"nextCursor":${next ? JSON.stringify(formatCursor(query.sort, next)) : 'null'}}`
}

function sendTagged({ request, reply, sendJson }: Call<'listings'>, page: CachedReply): typeof answered {
  reply.header('etag', page.etag).header('cache-control', cachedReplyControl)
  if (!isNotModified(page, request.headers['if-none-match'])) return sendJson(page.json)
  reply.code(304).send()
  return answered
}
